// SPDX-License-Identifier: BSD-3-Clause
// A small MPI program whose traffic does not follow rank order: the ranks form a grid, but numbered
// as if shuffled, so neighbours in the grid are far apart in rank order. Each rank says where it
// ran: `rank 3 host fk07`.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 64 * 1024, ITERATIONS = 20 };

// The place of a rank in the grid. 7 is prime, so multiplying by it permutes every size that is no
// multiple of 7; those keep their order.
static int shuffled(int index, int size) {
  return size % 7 == 0 ? index : (7 * index + 3) % size;
}

static int rank_at(int index, int size) {
  for (int rank = 0; rank < size; ++rank) {
    if (shuffled(rank, size) == index) return rank;
  }
  return MPI_PROC_NULL;
}

// Columns of the grid: the divisor of `size` nearest to its square root from above.
static int columns_for(int size) {
  int columns = 1;
  while (columns * columns < size || size % columns != 0) ++columns;
  return columns;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char host[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Get_processor_name(host, &length);

  const int columns = columns_for(size);
  const int place = shuffled(rank, size);
  const int right = place % columns + 1 < columns ? rank_at(place + 1, size) : MPI_PROC_NULL;
  const int left = place % columns > 0 ? rank_at(place - 1, size) : MPI_PROC_NULL;
  const int below = place + columns < size ? rank_at(place + columns, size) : MPI_PROC_NULL;
  const int above = place >= columns ? rank_at(place - columns, size) : MPI_PROC_NULL;
  char* send = malloc(BYTES);
  char* receive = malloc(BYTES);
  if (send == NULL || receive == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(send, rank, BYTES);

  for (int i = 0; i < ITERATIONS; ++i) {
    MPI_Sendrecv(send, BYTES, MPI_BYTE, right, 0, receive, BYTES, MPI_BYTE, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(send, BYTES, MPI_BYTE, left, 1, receive, BYTES, MPI_BYTE, right, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(send, BYTES / 4, MPI_BYTE, below, 2, receive, BYTES, MPI_BYTE, above, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(send, BYTES / 4, MPI_BYTE, above, 3, receive, BYTES, MPI_BYTE, below, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double local = rank;
    double sum = 0;
    MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size * (size - 1) / 2.0) MPI_Abort(MPI_COMM_WORLD, 2);
  }
  printf("rank %d host %s\n", rank, host);
  free(send);
  free(receive);
  MPI_Finalize();
  return 0;
}
