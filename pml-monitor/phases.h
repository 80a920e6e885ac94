// SPDX-License-Identifier: BSD-3-Clause
// What a rank has sent in each phase of its program: differences between what its counters were
// when a phase began and when it ended, so that counting itself knows nothing of phases. A phase
// may come again, and what is sent in none, phase 0, is not kept. One thread at a time. Knows
// nothing of Open MPI.
#pragma once

#include <stdbool.h>

#include "partner_table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PHASES_MOST = 99 };

struct phases;

struct phases* phases_new(void);  // NULL: no memory
void phases_free(struct phases* phases);

// Ends the phase that is on, and begins another; 0: none. `rows` are the counts now, as of
// partner_table_rows, and are taken over. False: no memory, and what was sent since the last call
// is in no phase; or there is no such phase.
bool phases_enter(struct phases* phases, uint32_t phase, struct partner_row* rows, size_t count);

uint32_t phases_current(const struct phases* phases);

// What has been sent in phases that have ended, sorted by rank; valid until the next call.
size_t phases_rows(const struct phases* phases, uint32_t phase, const struct partner_row** rows);

// For sending all phases at once as the counts of one: the phase is part of the receiver.
static inline uint64_t phases_join(uint32_t phase, uint64_t rank, uint32_t ranks) {
  return (uint64_t)phase * ranks + rank;
}

#ifdef __cplusplus
}
#endif
