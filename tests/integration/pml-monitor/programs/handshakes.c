// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collectives, and with an argument, communicators that are made and freed between
// them: the same operations as ranks need to agree on a communicator.
#include <mpi.h>

static void reduce(void) {
  int in = 1, out;
  MPI_Request request;
  MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int size, periodic = 1;
  MPI_Comm kept[4], brief;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 4; ++i) {
    reduce();
    if (argc > 1) MPI_Comm_dup(MPI_COMM_WORLD, &kept[i]);
    reduce();
    if (argc > 1) MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &brief);
    if (argc > 1) MPI_Comm_free(&brief);
    reduce();
  }
  for (int i = 0; i < 4 && argc > 1; ++i) MPI_Comm_free(&kept[i]);
  reduce();
  MPI_Finalize();
  return 0;
}
