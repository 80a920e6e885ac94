// SPDX-License-Identifier: BSD-3-Clause
// Spawns itself: `spawn COUNT` starts COUNT children. Prints `parent RANK HOST` and `child RANK
// HOST`.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_get_parent(&other);
  const int is_child = other != MPI_COMM_NULL;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  printf("%s %d %s\n", is_child ? "child" : "parent", rank, host);
  fflush(stdout);
  if (!is_child && argc > 1)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, atoi(argv[1]), MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                   MPI_ERRCODES_IGNORE);
  if (other != MPI_COMM_NULL) {
    MPI_Barrier(other);
    MPI_Comm_disconnect(&other);
  }
  MPI_Finalize();
  return 0;
}
