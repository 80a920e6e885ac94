// SPDX-License-Identifier: BSD-3-Clause
// Where a rank's counters live: in a file that is mapped into memory, so that whatever ends the
// process, they stay, and nothing has ever to be written. Where there can be no file, in memory
// that goes with the process. Knows nothing of Open MPI.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct counts_head;
struct partner;
struct partner_arena;

// With a path, in a file that must not be there yet; its first bytes are a copy of `head`. NULL:
// see errno.
struct partner_arena* partner_arena_new(const char* path, const struct counts_head* head);
void partner_arena_free(struct partner_arena* arena);

// NULL when memory runs out. When the disk is full, the memory is such that goes with the process.
struct partner* partner_arena_take(struct partner_arena* arena);

struct counts_head* partner_arena_head(struct partner_arena* arena);

#ifdef __cplusplus
}
#endif
