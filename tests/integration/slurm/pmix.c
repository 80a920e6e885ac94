// SPDX-License-Identifier: BSD-3-Clause
// A process of a job under srun --mpi=pmix: waits for all others, checks their number when one is
// given, and prints `RANK HOST`. The rank is the one that PMIx knows.
#include <pmix.h>
#include <stdlib.h>

#include "whereabouts.h"

int main(int argc, char** argv) {
  pmix_proc_t self;
  if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 1;
  pmix_proc_t all = self;
  all.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* size = NULL;
  if (PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &size) != PMIX_SUCCESS) return 2;
  const unsigned processes = size->data.uint32;
  PMIX_VALUE_RELEASE(size);
  if (argc > 1 && processes != (unsigned)atoi(argv[1])) return 3;
  if (PMIx_Fence(&all, 1, NULL, 0) != PMIX_SUCCESS) return 4;
  if (print_whereabouts(self.rank) != 0) return 5;
  return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 6;
}
