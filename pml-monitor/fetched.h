// SPDX-License-Identifier: BSD-3-Clause
// One-sided transfers that their receiver counted: MPI_Get and the like. In a result they belong to
// the row of the sender, where that has perhaps put something into the same receiver. So they are
// kept until all have come, and join the rows when these are written. Knows nothing of Open MPI.
#pragma once

#include <stdbool.h>

#include "partner_table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fetched_list;

// NULL: out of memory.
struct fetched_list* fetched_new(void);
void fetched_free(struct fetched_list* list);

// What the rows of `receiver`, one of so many ranks, say it fetched; where partners' numbers tell
// the part as well (parts.h), receivers' numbers will. False: out of memory.
bool fetched_add(struct fetched_list* list, uint32_t receiver, uint32_t ranks,
                 const struct partner_row* rows, size_t count);

// What becomes of a row: 0, or an errno value, which ends the walk. Its fetched kind is 0: that is
// now one-sided traffic of a sender.
typedef int (*fetched_row_fn)(void* context, uint32_t sender, const struct partner_row* row);

// A walk over all rows, in the order of senders and their partners. `fetched_walk` takes the rows
// of each sender, which are in this order; `fetched_finish` visits what is left.
void fetched_start(struct fetched_list* list);
int fetched_walk(struct fetched_list* list, uint32_t sender, const struct partner_row* rows,
                 size_t count, fetched_row_fn visit, void* context);
int fetched_finish(struct fetched_list* list, fetched_row_fn visit, void* context);

#ifdef __cplusplus
}
#endif
