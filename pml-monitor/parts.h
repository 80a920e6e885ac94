// SPDX-License-Identifier: BSD-3-Clause
// What a rank sends is, on request, counted once more in parts: by the phase of the program it was
// sent in, and by the size of its messages. All parts live in one partner_table, where a partner's
// number tells the part as well; so they are kept, gathered and read as counts of ranks are. Knows
// nothing of Open MPI.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PHASES_MOST = 99,     // parts 1 to 99; part 0 is what is sent in no phase
  SIZE_BINS = 65,       // no byte, 1, 2 to 3, 4 to 7 and so on
  PARTS_OF_SIZES = 100  // the first of them
};

#define PARTS_COUNT ((uint32_t)PARTS_OF_SIZES + SIZE_BINS)

// Jobs with more ranks have no parts: the numbers would not fit.
#define PARTS_RANKS_MOST (UINT32_MAX / PARTS_COUNT)

static inline uint32_t parts_join(uint32_t part, uint32_t rank, uint32_t ranks) {
  return part * ranks + rank;
}

// The bin of messages that have so many bytes, and the fewest bytes of its messages.
static inline uint32_t size_bin(uint64_t bytes) {
  return bytes == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(bytes);
}
static inline uint64_t size_bin_start(uint32_t bin) {
  return bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
}

#ifdef __cplusplus
}
#endif
