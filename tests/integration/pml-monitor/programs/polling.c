// SPDX-License-Identifier: BSD-3-Clause
// A thread of each rank calls MPI_Get_version, as any thread may at any time, from before until
// after MPI_Finalize.
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static sem_t asking;
static atomic_bool done;

static void* ask(void* nothing) {
  int version, subversion;
  MPI_Get_version(&version, &subversion);
  sem_post(&asking);
  while (!atomic_load(&done)) MPI_Get_version(&version, &subversion);
  return nothing;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  sem_init(&asking, 0, 0);
  if (pthread_create(&thread, NULL, ask, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  sem_wait(&asking);
  MPI_Finalize();
  atomic_store(&done, true);
  pthread_join(thread, NULL);
  return 0;
}
