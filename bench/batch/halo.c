// SPDX-License-Identifier: BSD-3-Clause
// An application for batch.py: ranks in a periodic grid exchange halos with their neighbours, STEPS
// times, and wait in between as if they computed. Usage: halo COLUMNS STEPS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kHalo = 1 << 14, kTag = 1 };

static void exchange(char* sent, char* received, int to, int from) {
  MPI_Sendrecv(sent, kHalo, MPI_BYTE, to, kTag, received, kHalo, MPI_BYTE, from, kTag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  static char sent[kHalo], received[kHalo];
  const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int columns = argc > 2 ? atoi(argv[1]) : 0;
  const int steps = argc > 2 ? atoi(argv[2]) : 0;
  if (columns < 1 || ranks % columns != 0 || steps < 1) {
    if (rank == 0) fprintf(stderr, "usage: halo COLUMNS STEPS, with ranks in full rows\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int row = rank / columns * columns, column = rank % columns;
  const int east = row + (column + 1) % columns, west = row + (column + columns - 1) % columns;
  const int south = (rank + columns) % ranks, north = (rank + ranks - columns) % ranks;
  for (int step = 0; step < steps; ++step) {
    exchange(sent, received, east, west);
    exchange(sent, received, west, east);
    exchange(sent, received, south, north);
    exchange(sent, received, north, south);
    nanosleep(&pause, NULL);
  }
  MPI_Finalize();
  return 0;
}
