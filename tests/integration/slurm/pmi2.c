// SPDX-License-Identifier: BSD-3-Clause
// A process of a job under srun --mpi=pmi2: waits for all others, checks their number when one is
// given, and prints `RANK HOST`. The rank is the one that PMI2 knows.
#include <slurm/pmi2.h>
#include <stdlib.h>

#include "whereabouts.h"

int main(int argc, char** argv) {
  int spawned = 0;
  int size = 0;
  int rank = 0;
  int app = 0;
  if (PMI2_Init(&spawned, &size, &rank, &app) != PMI2_SUCCESS) return 1;
  if (argc > 1 && size != atoi(argv[1])) return 3;
  if (PMI2_KVS_Fence() != PMI2_SUCCESS) return 4;
  if (print_whereabouts((unsigned)rank) != 0) return 5;
  return PMI2_Finalize() == PMI2_SUCCESS ? 0 : 6;
}
