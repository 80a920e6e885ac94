// SPDX-License-Identifier: BSD-3-Clause
// Two ranks spawn three. Rank 0 broadcasts 1000 bytes to these, gathers 72 from each, and all
// reduce 20 bytes with the other side.
#include <mpi.h>

int main(int argc, char** argv) {
  static char data[1000], gathered[3 * 72];
  static int own[5], sum[5];
  MPI_Comm parents, others;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parents);
  int spawned = parents != MPI_COMM_NULL;
  if (spawned) {
    others = parents;
  } else {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  }
  int root = spawned ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(data, sizeof data, MPI_CHAR, root, others);
  MPI_Gather(data, 72, MPI_CHAR, gathered, 72, MPI_CHAR, root, others);
  MPI_Allreduce(own, sum, 5, MPI_INT, MPI_SUM, others);
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
