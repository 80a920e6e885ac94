// SPDX-License-Identifier: BSD-3-Clause
// What Open MPI uses again for something else: numbers of communicators, whose ranks are other
// processes then, and the memory of persistent requests, which have another destination then.
#include "expect.h"

enum { REQUESTS = 150, ROUNDS = 40 };

static int rank, size;

// In each round another rank comes first.
static void communicators(void) {
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Comm turned;
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank + round) % size, &turned);
    int me;
    MPI_Comm_rank(turned, &me);
    int to = (me + 1) % size, from = (me + size - 1) % size;
    int sent = rank, received = -1;
    MPI_Sendrecv(&sent, 1, MPI_INT, to, 1, &received, 1, MPI_INT, from, 1, turned,
                 MPI_STATUS_IGNORE);
    expect_send((rank + 1) % size, sizeof sent);
    int pair[2] = {0}, other[2];
    MPI_Sendrecv(pair, 2, MPI_INT, (me + round) % size, 2, other, 2, MPI_INT,
                 (me + size - round % size) % size, 2, turned, MPI_STATUS_IGNORE);
    expect_send((rank + round) % size, sizeof pair);
    MPI_Comm_free(&turned);
  }
}

static void persistent_requests(void) {
  static char bytes[REQUESTS], received[REQUESTS];
  MPI_Request requests[2 * REQUESTS];
  for (int round = 0; round < 4; ++round) {
    int to = (rank + 1 + round) % size, from = (rank + 2 * size - 1 - round) % size;
    for (int i = 0; i < REQUESTS; ++i) {
      MPI_Send_init(bytes, i, MPI_CHAR, to, i, MPI_COMM_WORLD, &requests[i]);
      MPI_Recv_init(received, i, MPI_CHAR, from, i, MPI_COMM_WORLD, &requests[REQUESTS + i]);
    }
    for (int start = 0; start < 2; ++start) {
      MPI_Startall(2 * REQUESTS, requests);
      MPI_Waitall(2 * REQUESTS, requests, MPI_STATUSES_IGNORE);
      for (int i = 0; i < REQUESTS; ++i) expect_send(to, i);
    }
    // Some are freed, and their memory serves other messages, before the rest is.
    for (int i = 0; i < 2 * REQUESTS; i += 2) MPI_Request_free(&requests[i]);
    for (int i = 0; i < REQUESTS; ++i) {
      MPI_Request both[2];
      MPI_Irecv(received, 1, MPI_CHAR, from, i, MPI_COMM_WORLD, &both[0]);
      MPI_Isend(bytes, 1, MPI_CHAR, to, i, MPI_COMM_WORLD, &both[1]);
      expect_send(to, 1);
      MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    for (int i = 1; i < 2 * REQUESTS; i += 2) MPI_Request_free(&requests[i]);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  communicators();
  persistent_requests();
  expect_write();
  MPI_Finalize();
  return 0;
}
