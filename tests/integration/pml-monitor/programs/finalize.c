// SPDX-License-Identifier: BSD-3-Clause
// Every rank sends 8 bytes to the next, and its MPI_COMM_SELF has an attribute whose deletion, at
// the start of MPI_Finalize, fails on rank 1. Rank 0 comes to MPI_Finalize later than the others.
#include <unistd.h>

#include "expect.h"

static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  int rank;
  (void)comm, (void)key, (void)value, (void)extra;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int rank, size, key;
  char data[8] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, data);
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Sendrecv_replace(data, sizeof data, MPI_CHAR, to, 1, from, 1, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  expect_send(to, sizeof data);
  expect_write();
  if (rank == 0 && argc > 1) sleep((unsigned)atoi(argv[1]));
  return MPI_Finalize();
}
