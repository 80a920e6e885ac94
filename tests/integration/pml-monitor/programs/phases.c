// SPDX-License-Identifier: BSD-3-Clause
// A ring of messages in phases 1, 3, 1 and 3, and in none before, at the end and between, where
// they are in one that there cannot be. With an argument, so many milliseconds pass in the middle.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static int rank, size;

static void pass(int bytes) {
  static char sent[1000], received[1000];
  MPI_Sendrecv(sent, bytes, MPI_CHAR, (rank + 1) % size, 1, received, bytes, MPI_CHAR,
               (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pass(500);
  for (int round = 0; round < 2; ++round) {
    MPI_Pcontrol(1);
    pass(100);
    MPI_Pcontrol(3);
    pass(300);
    MPI_Pcontrol(-1);
    MPI_Pcontrol(100);
    pass(700);
    if (round == 0 && argc > 1) {
      long wait = atol(argv[1]);
      nanosleep(&(struct timespec){wait / 1000, wait % 1000 * 1000000}, NULL);
    }
    MPI_Pcontrol(0);
  }
  pass(500);
  MPI_Finalize();
  return 0;
}
