// SPDX-License-Identifier: BSD-3-Clause
// What a rank has sent in each phase of its program: differences between what its counters were
// when a phase began and when it ended, so that counting itself knows nothing of phases. A phase
// may come again. The sums are parts (parts.h), those of phase 0, which is none, among them: what
// is in no sum has been sent in the phase that is on, and so a rank that dies at any moment leaves
// all of its phases. One thread at a time. Knows nothing of Open MPI.
#pragma once

#include <stdbool.h>

#include "partner_table.h"
#include "parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct phases;

// Sums go to `parts`, which must stay; at most PARTS_RANKS_MOST ranks. NULL: no memory.
struct phases* phases_new(struct partner_table* parts, uint32_t ranks);
void phases_free(struct phases* phases);

// Ends the phase that is on, and begins another; 0: none. `rows` are the counts now, as of
// partner_table_rows, and are taken over. False: no memory, and not all that was sent since the
// last call is in its phase; or there is no such phase, and none has begun.
bool phases_enter(struct phases* phases, uint32_t phase, struct partner_row* rows, size_t count);

uint32_t phases_current(const struct phases* phases);

#ifdef __cplusplus
}
#endif
