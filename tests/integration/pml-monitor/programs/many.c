// SPDX-License-Identifier: BSD-3-Clause
// Every rank sends its own rank + 1 bytes to every rank above it: a triangle, so senders have very
// different numbers of partners, and the last none. Changes the working directory, which must not
// move the files.
#include <unistd.h>

#include "expect.h"

int main(int argc, char** argv) {
  int rank, size;
  char data[EXPECT_RANKS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int from = 0; from < rank; ++from) {
    MPI_Recv(data, sizeof data, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int to = rank + 1; to < size; ++to) {
    MPI_Send(data, rank + 1, MPI_CHAR, to, 0, MPI_COMM_WORLD);
    expect_send(to, rank + 1);
  }
  expect_write();
  if (chdir("/") != 0) return 1;
  MPI_Finalize();
  return 0;
}
