// SPDX-License-Identifier: BSD-3-Clause
// How long a rank ran, and how much of it in MPI. Knows nothing of Open MPI.
#pragma once

#include <stdint.h>

struct rank_time {
  uint64_t run;    // microseconds from the end of MPI_Init to the start of MPI_Finalize
  uint64_t mpi;    // of these, in MPI calls; the sum over threads
  uint64_t calls;  // 0: these two are not known, or there were none
};
