// SPDX-License-Identifier: BSD-3-Clause
// halo X Y Z ITERATIONS BYTES FLOPS: what miniGhost does, without its arithmetic. In each iteration
// the ranks of an X by Y by Z box exchange faces, one dimension after the other, compute for so
// many operations, and sum up one number. BYTES is of a face across x, those across y and z have
// half and a quarter. Prints the seconds that it took, and the share of them that ranks
// communicated, as a mean over the ranks.
//
// The simulator runs all ranks in one address space: their buffers are the same, and nothing else
// is global.
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kDimensions = 3, kMostBytes = 8 << 20, kUsage = 2 };

// Nobody looks at the content of a message.
static char outgoing[kMostBytes];
static char incoming[kMostBytes];

struct Box {
  int extent[kDimensions];
  int place[kDimensions];
};

// The rank one step up or down, or nobody at the edge.
static int neighbour(const struct Box* box, int rank, int dimension, int step) {
  const int to = box->place[dimension] + step;
  if (to < 0 || to >= box->extent[dimension]) return MPI_PROC_NULL;
  int stride = 1;
  for (int d = kDimensions - 1; d > dimension; --d) stride *= box->extent[d];
  return rank + step * stride;
}

static void exchange(const struct Box* box, int rank, int bytes) {
  for (int d = 0; d < kDimensions; ++d, bytes /= 2) {
    MPI_Request requests[4];
    int pending = 0;
    for (int step = -1; step <= 1; step += 2) {
      const int other = neighbour(box, rank, d, step);
      MPI_Irecv(incoming, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[pending++]);
      MPI_Isend(outgoing, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[pending++]);
    }
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct Box box = {{0}, {0}};
  for (int d = 0; d < kDimensions && argc == 7; ++d) box.extent[d] = atoi(argv[1 + d]);
  const int iterations = argc == 7 ? atoi(argv[4]) : 0;
  const int bytes = argc == 7 ? atoi(argv[5]) : 0;
  const double flops = argc == 7 ? atof(argv[6]) : 0;
  if (box.extent[0] * box.extent[1] * box.extent[2] != ranks || bytes < 4 || bytes > kMostBytes ||
      iterations < 1) {
    if (rank == 0) fprintf(stderr, "halo: call it as halo X Y Z ITERATIONS BYTES FLOPS\n");
    MPI_Abort(MPI_COMM_WORLD, kUsage);
  }
  for (int d = kDimensions - 1, rest = rank; d >= 0; rest /= box.extent[d--])
    box.place[d] = rest % box.extent[d];

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  double communicated = 0;
  for (int i = 0; i < iterations; ++i) {
    double begin = MPI_Wtime();
    exchange(&box, rank, bytes);
    communicated += MPI_Wtime() - begin;
    if (flops > 0) smpi_execute_flops(flops);
    begin = MPI_Wtime();
    double mine = 1;
    double sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    communicated += MPI_Wtime() - begin;
  }
  const double own[2] = {MPI_Wtime() - start, communicated};
  double all[2] = {0, 0};
  MPI_Reduce(own, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.9f %.6f\n", all[0] / ranks, all[1] / all[0]);
  MPI_Finalize();
  return 0;
}
