// SPDX-License-Identifier: BSD-3-Clause
// In phase 2 each rank gets 40 bytes from the next one, in phase 5 it sends that one 8 bytes and
// all take part in a broadcast of 4; in none, it puts 80 bytes.
#include <mpi.h>

int main(int argc, char** argv) {
  static int memory[20], local[20];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Pcontrol(2);
  MPI_Get(local, 10, MPI_INT, next, 0, 10, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Pcontrol(0);
  MPI_Put(local, 20, MPI_INT, next, 0, 20, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Pcontrol(5);
  MPI_Sendrecv(local, 2, MPI_INT, next, 1, memory, 2, MPI_INT, before, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Bcast(local, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
