// SPDX-License-Identifier: BSD-3-Clause
// Counts as they travel between ranks: a chunk is a sequence of runs, a run is some rows of one
// sender. Each run stands for itself, so whoever passes chunks on may join them without reading
// them. Numbers are written in base 128, low digits first: most take one to three bytes. Knows
// nothing of Open MPI.
#pragma once

#include <stdbool.h>

#include "partner_table.h"
#include "rank_time.h"

#ifdef __cplusplus
extern "C" {
#endif

// What comes before the rows of a run.
struct stream_run {
  uint32_t sender;
  uint64_t set;         // of partner_table.h: whose ranks the rows are of
  bool first;           // what is below is told in a sender's first run
  uint64_t total_rows;  // in all runs of this sender, of all sets
  struct omitted omitted;
  struct rank_time time;
};

struct stream_source {
  uint32_t sender;
  struct omitted omitted;
  const struct partner_row* rows;  // of one set, sorted by rank
  uint64_t count;
  uint64_t set;
  uint64_t beside;  // rows of other sets, which have sources of their own
  struct rank_time time;
};

// Room that is always enough for one run with one row.
enum { STREAM_RUN_MOST = 256 };

// Writes one run of the rows from *next on, as many as fit, and moves *next behind them. `started`
// is false for the sender's first run, which is of PARTNERS_OURS and may have no rows. Returns the
// bytes written; 0 when there are fewer than STREAM_RUN_MOST.
size_t row_stream_encode(uint8_t* out, size_t room, const struct stream_source* source,
                         bool started, uint64_t* next);

// Called for each run of a chunk; false stops.
typedef bool (*stream_visit_fn)(void* context, const struct stream_run* run,
                                const struct partner_row* rows, size_t count);

// False: the bytes are no chunk for a job of so many ranks, or `visit` stopped. Rows before the
// damage have been visited.
bool row_stream_decode(const uint8_t* bytes, size_t size, uint32_t ranks, stream_visit_fn visit,
                       void* context);

#ifdef __cplusplus
}
#endif
