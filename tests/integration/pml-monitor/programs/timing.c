// SPDX-License-Identifier: BSD-3-Clause
// Rank r makes 7 + r MPI calls. In one of them MPI calls the program back, which then sleeps for
// 0.2 seconds and calls MPI again: that is time in MPI, and no call of the program's own.
#include <mpi.h>
#include <time.h>

static int sleep_inside(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag) {
  int rank;
  (void)key, (void)extra, (void)value, (void)copy;
  MPI_Comm_rank(comm, &rank);
  nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
  *flag = 0;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm copy;
  int rank, key;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_keyval(sleep_inside, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free_keyval(&key);
  for (int i = 0; i <= rank; ++i) MPI_Barrier(MPI_COMM_SELF);
  MPI_Finalize();
  return 0;
}
