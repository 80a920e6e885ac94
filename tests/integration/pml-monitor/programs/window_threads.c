// SPDX-License-Identifier: BSD-3-Clause
// Threads make windows, use them and free them, all at the same time.
#include <pthread.h>

#include "expect.h"

enum { THREADS = 4, ROUNDS = 8, PUTS = 50 };

static int rank, size;
static MPI_Comm comms[THREADS];

static void* work(void* which) {
  MPI_Comm comm = *(MPI_Comm*)which;
  int target = (rank + 1) % size;
  for (int round = 0; round < ROUNDS; ++round) {
    long* base;
    long value = rank;
    MPI_Win window;
    MPI_Win_allocate(PUTS * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &base, &window);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < PUTS; ++i) {
      MPI_Put(&value, 1, MPI_LONG, target, i, 1, MPI_LONG, window);
      expect_send(target, sizeof value);
      MPI_Win_flush(target, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, &comms[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&comms[i]);
  expect_write();
  MPI_Finalize();
  return 0;
}
