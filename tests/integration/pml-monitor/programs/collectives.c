// SPDX-License-Identifier: BSD-3-Clause
// Barriers, broadcasts, reductions from and to every rank, of sizes around those at which Open MPI
// changes its ways; on all ranks, and on all but one in the other order.
#include <mpi.h>
#include <stdlib.h>

enum { MOST = 50000 };

static int sent[MOST], received[MOST];

static void collect(MPI_Comm comm) {
  static const int counts[] = {0, 1, 3, 1000, MOST};
  int size;
  MPI_Comm_size(comm, &size);
  MPI_Barrier(comm);
  for (int root = 0; root < size; ++root) {
    for (int i = 0; i < 5; ++i) {
      int count = counts[i];
      MPI_Bcast(sent, count, MPI_INT, root, comm);
      MPI_Reduce(sent, received, count, MPI_INT, MPI_MAX, root, comm);
      MPI_Allreduce(sent, received, count, MPI_INT, MPI_SUM, comm);
    }
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Reduce(rank == root ? MPI_IN_PLACE : sent, received, 7, MPI_INT, MPI_MAX, root, comm);
    MPI_Barrier(comm);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size, count = 0, order[64];
  MPI_Group world, group;
  MPI_Comm some;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int rank = size - 1; rank >= 0; --rank) {
    if (rank != 1) order[count++] = rank;
  }
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, order, &group);
  // Not MPI_Comm_split, which sends as the program's collectives do.
  MPI_Comm_create(MPI_COMM_WORLD, group, &some);
  collect(MPI_COMM_WORLD);
  if (some != MPI_COMM_NULL) {
    collect(some);
    MPI_Comm_free(&some);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  MPI_Finalize();
  return 0;
}
