// SPDX-License-Identifier: BSD-3-Clause
// What ranks would send if collectives went by messages: one algorithm for each, as Open MPI's
// coll/tuned has it without segments. For collectives that are made by other means, and of which
// nobody sees any message. Knows nothing of Open MPI.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum schedule { SCHEDULE_BARRIER, SCHEDULE_BCAST, SCHEDULE_REDUCE, SCHEDULE_ALLREDUCE, SCHEDULES };

// "bcast: binomial tree" and so on, of all schedules, separated by commas.
extern const char schedule_names[];

// Calls `send` for each message that `rank` of `size` sends, with its receiver. Each holds all the
// bytes of the collective; those of a barrier are empty. `root` is for those that have one.
typedef void (*schedule_send_fn)(void* context, uint32_t receiver);
void schedule_sends(enum schedule schedule, uint32_t rank, uint32_t size, uint32_t root,
                    schedule_send_fn send, void* context);

#ifdef __cplusplus
}
#endif
