// SPDX-License-Identifier: BSD-3-Clause
// Brings every rank's counts to world rank 0, uncounted: it talks through the real PML below the
// monitor. Every wait ends at the time limit.
#pragma once

#include "interpose.h"
#include "row_stream.h"

// Where rank 0 puts what it gathers. `chunk` is called for one chunk after the other, senders in
// rank order; false: it is of no use to go on. `finish` is called once, and says whether the result
// holds the counts of every rank that takes part and is safe.
struct gather_sink {
  void* context;
  int round;  // 0, or 1 for a second gathering, which does not hear what was late in the first
  bool (*chunk)(void* context, const uint8_t* bytes, size_t size);
  bool (*finish)(void* context);
};

enum gather_result {
  GATHER_SAFE,     // rank 0 has written what every rank counted
  GATHER_UNSAFE,   // it has not, or did not say so in time: this rank's counts are needed still
  GATHER_NO_ROOT,  // rank 0 is not monitored, nobody collects
};

enum gather_result gather_counts(const struct monitor* monitor, double limit_seconds,
                                 const struct gather_sink* sink);
