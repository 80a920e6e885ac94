// SPDX-License-Identifier: BSD-3-Clause
// Even and odd ranks, each group in reverse order, talk through an intercommunicator. The two
// leaders, world ranks size - 2 and size - 1, never send to each other here; only
// MPI_Intercomm_create lets them.
#include "expect.h"

int main(int argc, char** argv) {
  int rank, size, own, remote;
  char data[1000] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm group, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &group);
  int other_leader = rank % 2 ? size - 2 : size - 1;
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, other_leader, 9, &between);
  MPI_Comm_rank(between, &own);
  MPI_Comm_remote_size(between, &remote);
  int partner = (own + 1) % remote, source = (own + remote - 1) % remote;
  MPI_Sendrecv(data, 90 + rank, MPI_CHAR, partner, 1, data, sizeof data, MPI_CHAR, source, 1,
               between, MPI_STATUS_IGNORE);
  expect_send(other_leader - 2 * partner, 90 + rank);  // remote rank 0 is the other leader
  MPI_Comm_free(&between);
  MPI_Comm_free(&group);
  expect_write();
  MPI_Finalize();
  return 0;
}
