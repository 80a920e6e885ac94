// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 ends in the middle, as the argument says, while the others wait for it: some in
// MPI_Finalize.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    usleep(300000);
    if (strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(argv[1], "exit") == 0) _exit(7);
    abort();
  }
  if (rank == 2) MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
