// SPDX-License-Identifier: BSD-3-Clause
// Two ranks spawn two more processes and talk to them. These have ranks 0 and 1 too, in a world of
// their own. With an argument, the first rank aborts when all have talked.
#include <unistd.h>

#include "expect.h"

static void talk(MPI_Comm others, int rank) {
  char data[100] = "";
  MPI_Sendrecv(data, 77, MPI_CHAR, rank, 1, data, 77, MPI_CHAR, rank, 1, others, MPI_STATUS_IGNORE);
  MPI_Request persistent;
  MPI_Send_init(data, 78, MPI_CHAR, rank, 2, others, &persistent);
  MPI_Start(&persistent);
  MPI_Recv(data, 78, MPI_CHAR, rank, 2, others, MPI_STATUS_IGNORE);
  MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  MPI_Request_free(&persistent);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm others;
  int rank, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&others);
  int spawned = others != MPI_COMM_NULL;
  if (!spawned) {
    MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  }
  talk(others, rank);
  MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 3, 1 - rank, 3, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  expect_send(1 - rank, sizeof value);
  if (argc > 1) {
    MPI_Barrier(others);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && !spawned) MPI_Abort(MPI_COMM_WORLD, 1);
    for (;;) pause();
  }
  MPI_Comm_disconnect(&others);
  if (!spawned) expect_write();
  MPI_Finalize();
  return 0;
}
