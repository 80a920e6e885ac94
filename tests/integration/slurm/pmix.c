// SPDX-License-Identifier: BSD-3-Clause
// A process of a job under srun --mpi=pmix: waits for all others, checks their number when one is
// given, and prints `RANK HOST`. The rank is the one that PMIx knows. With the name of a file, it
// also checks that the others' data came with the wait, and that the wait is one: the last rank is
// late and creates the file, which everybody must find. Usage: tofa-test-pmix [RANKS [FILE]]
#include <fcntl.h>
#include <pmix.h>
#include <stdlib.h>

#include "whereabouts.h"

static int offer(unsigned rank) {
  pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = rank};
  return PMIx_Put(PMIX_GLOBAL, "tofa.test", &value) == PMIX_SUCCESS &&
         PMIx_Commit() == PMIX_SUCCESS;
}

static int fence(const pmix_proc_t* all, bool collect) {
  pmix_info_t info;
  PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
  return PMIx_Fence(all, 1, &info, 1) == PMIX_SUCCESS;
}

// Asks no other node: what the fence did not bring is not there.
static int brought(const pmix_proc_t* all, unsigned rank) {
  pmix_proc_t other = *all;
  other.rank = rank;
  pmix_info_t info;
  bool immediate = true;
  PMIX_INFO_LOAD(&info, PMIX_IMMEDIATE, &immediate, PMIX_BOOL);
  pmix_value_t* value = NULL;
  if (PMIx_Get(&other, "tofa.test", &info, 1, &value) != PMIX_SUCCESS) return 0;
  const int right = value->data.uint32 == rank;
  PMIX_VALUE_RELEASE(value);
  return right;
}

static int create_late(const char* path) {
  usleep(300000);
  const int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
  return file >= 0 && close(file) == 0;
}

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
  if (!offer(self.rank) || !fence(&all, true)) return 4;
  for (unsigned rank = 0; argc > 2 && rank < processes; ++rank) {
    if (!brought(&all, rank)) return 7;
  }
  if (argc > 2 && self.rank == processes - 1 && !create_late(argv[2])) return 8;
  if (!fence(&all, false)) return 4;
  if (argc > 2 && access(argv[2], F_OK) != 0) return 9;
  if (print_whereabouts(self.rank) != 0) return 5;
  return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 6;
}
