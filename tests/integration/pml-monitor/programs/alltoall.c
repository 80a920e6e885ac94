// SPDX-License-Identifier: BSD-3-Clause
// One MPI_Alltoall of 64 bytes per pair, nothing else.
#include <mpi.h>

int main(int argc, char** argv) {
  static char out[64 * 64], in[64 * 64];
  MPI_Init(&argc, &argv);
  MPI_Alltoall(out, 64, MPI_CHAR, in, 64, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
