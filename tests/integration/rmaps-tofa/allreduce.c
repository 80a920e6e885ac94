// SPDX-License-Identifier: BSD-3-Clause
// An MPI program in which all ranks talk: prints `RANK HOST` for each, and fails when the sum of
// the ranks is wrong.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  printf("%d %s\n", rank, host);
  MPI_Finalize();
  return sum == size * (size - 1) / 2 ? 0 : 1;
}
