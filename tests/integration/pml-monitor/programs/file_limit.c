// SPDX-License-Identifier: BSD-3-Clause
// Every rank sends 8 bytes to the next, and may write files of 64 bytes at most when it comes to
// MPI_Finalize. Beyond that there is a signal that ends a program.
#include <mpi.h>
#include <sys/resource.h>

int main(int argc, char** argv) {
  int rank, size;
  char data[8] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Sendrecv_replace(data, sizeof data, MPI_CHAR, to, 1, from, 1, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 200;
  setrlimit(RLIMIT_FSIZE, &limit);
  return MPI_Finalize();
}
