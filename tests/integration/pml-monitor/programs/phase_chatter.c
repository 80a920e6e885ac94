// SPDX-License-Identifier: BSD-3-Clause
// Ranks send around a ring for ever, each message in another phase than the one before it and of
// another size, until the test ends them. In a mapped file sent.RANK each notes how many messages
// it has sent in phases 0 to 3, then how many of each size: what is in it survives whatever ends
// them. With an argument, so many messages are all.
#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PHASES = 4, SIZES = 5 };

static const int sizes[SIZES] = {0, 1, 5, 64, 5000};

static _Atomic uint64_t* map_counters(int rank) {
  char name[64];
  snprintf(name, sizeof name, "sent.%d", rank);
  const size_t size = (PHASES + SIZES) * sizeof(uint64_t);
  int fd = open(name, O_RDWR | O_CREAT, 0666);
  if (fd < 0 || ftruncate(fd, (off_t)size) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 2);
  return memory;
}

int main(int argc, char** argv) {
  static char data[5000], received[5000];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  _Atomic uint64_t* sent = map_counters(rank);
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  long rounds = argc > 1 ? atol(argv[1]) : -1;
  for (long round = 0; round != rounds; ++round) {
    long phase = round % PHASES, kind = round % SIZES;
    MPI_Pcontrol((int)phase);
    MPI_Request request;
    MPI_Isend(data, sizes[kind], MPI_CHAR, to, 1, MPI_COMM_WORLD, &request);
    atomic_fetch_add(&sent[phase], 1);
    atomic_fetch_add(&sent[PHASES + kind], 1);
    MPI_Recv(received, sizeof received, MPI_CHAR, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
