// SPDX-License-Identifier: BSD-3-Clause
// The tree along which counts travel to rank 0: binomial, and such that walking it children after
// parent, in order, visits the ranks in order. Ranks that do not take part are left out; what
// stands below them moves up. Knows nothing of Open MPI.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef bool (*tree_present_fn)(void* context, uint32_t rank);

// The nearest rank above that takes part; false when there is none, or for rank 0.
bool tree_parent(uint32_t rank, tree_present_fn present, void* context, uint32_t* parent);

// The ranks that have this one as their parent, in ascending order, in memory that the caller
// frees. Their number; negative when memory runs out.
int tree_children(uint32_t rank, uint32_t ranks, tree_present_fn present, void* context,
                  uint32_t** children);

// The share of the time limit that a rank spends waiting for those below it: ranks further down
// give up earlier, so that what they have still gets up.
double tree_patience(uint32_t rank, uint32_t ranks);

#ifdef __cplusplus
}
#endif
