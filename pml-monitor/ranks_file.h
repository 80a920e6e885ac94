// SPDX-License-Identifier: BSD-3-Clause
// NAME.ranks.json: where the ranks of a run were, how long each ran, and what run it was. Its
// member `mapping` is as in what `tofa map --format json` prints, so that it can be named as a
// mapping. Knows nothing of Open MPI.
#pragma once

#include "mtx_writer.h"
#include "rank_time.h"

#ifdef __cplusplus
extern "C" {
#endif

struct run_facts {
  const char* command;
  const char* date;      // of the end; ISO 8601, UTC
  const char* open_mpi;  // version
  const char* job;       // as the batch system calls it; NULL: none
  const char* name;  // PMIx namespace of this job, as other jobs' results have it; NULL: unknown
  double seconds;    // between MPI_Init and MPI_Finalize, of rank 0
  uint32_t ranks;
  const struct rank_time* times;  // by rank; NULL: not known
  char** hosts;                   // by rank; NULL, or with a NULL in it: not known, and left out
};

// STEM.ranks.json; for the caller to free.
char* ranks_path(const char* stem);

// As those of mtx_writer.h: 0 or an errno value; mtx_publish and mtx_discard are for after it.
int ranks_write(struct mtx_writer* writer, const char* stem, const struct run_facts* facts);

#ifdef __cplusplus
}
#endif
