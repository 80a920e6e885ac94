// SPDX-License-Identifier: BSD-3-Clause
// What a program may use to talk without being counted. Each is a bit; whoever reads a result is
// told the names. Also read by `tofa graph recover`. Knows nothing of Open MPI.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum not_counted {
  NOT_COUNTED_WINDOWS = 1 << 0,        // one-sided calls that could not be watched
  NOT_COUNTED_SHARED_MEMORY = 1 << 1,  // loads and stores in MPI_Win_allocate_shared
  NOT_COUNTED_COLL_SM = 1 << 2,        // collectives through shared memory
  NOT_COUNTED_COLL_HARDWARE = 1 << 3,  // collectives of the network: hcoll and the like
  NOT_COUNTED_MOST = 1 << 4            // beyond the last
};

// The names of these bits, separated by commas; bits beyond are left out. What does not fit is cut.
void not_counted_names(uint32_t ways, char* text, size_t size);

#ifdef __cplusplus
}
#endif
