// SPDX-License-Identifier: BSD-3-Clause
// Ranks send 10 bytes around a ring for ever, until the test ends them, and note in a mapped file
// sent.RANK how often they did: what is in it survives whatever ends them. Without an argument;
// with one, rank 1 ends in that way after a while.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 1000 };

static _Atomic uint64_t* map_counter(int rank) {
  char name[64];
  snprintf(name, sizeof name, "sent.%d", rank);
  int fd = open(name, O_RDWR | O_CREAT, 0666);
  if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  void* memory = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 2);
  return memory;
}

static void end(const char* how) {
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  raise(SIGKILL);
}

int main(int argc, char** argv) {
  int rank, size;
  char data[10] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  _Atomic uint64_t* sent = map_counter(rank);
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int round = 0;; ++round) {
    MPI_Request request;
    MPI_Isend(data, sizeof data, MPI_CHAR, to, 1, MPI_COMM_WORLD, &request);
    atomic_fetch_add(sent, 1);
    MPI_Recv(data, sizeof data, MPI_CHAR, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1 && argc > 1 && round == ROUNDS) end(argv[1]);
  }
}
