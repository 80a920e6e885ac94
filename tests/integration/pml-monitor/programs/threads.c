// SPDX-License-Identifier: BSD-3-Clause
// Several threads per rank send to every rank at once, plainly and with persistent requests.
#include <pthread.h>

#include "expect.h"

enum { THREADS = 4, ROUNDS = 300 };

static int rank, size;

static void exchange(int thread, int to, int from) {
  char out[64] = "", in[64];
  MPI_Request requests[2];
  MPI_Send_init(out, 16 + thread, MPI_CHAR, to, thread, MPI_COMM_WORLD, &requests[0]);
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Irecv(in, sizeof in, MPI_CHAR, from, thread, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[0]);
    expect_send(to, 16 + thread);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, thread, MPI_CHAR, to, thread, in, sizeof in, MPI_CHAR, from, thread,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_send(to, thread);
  }
  MPI_Request_free(&requests[0]);
}

static void* run(void* number) {
  int thread = *(const int*)number;
  for (int by = 0; by < size; ++by) exchange(thread, (rank + by) % size, (rank + size - by) % size);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, run, &numbers[i]);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  expect_write();
  MPI_Finalize();
  return 0;
}
