// SPDX-License-Identifier: BSD-3-Clause
// Brings every rank's counts to world rank 0, uncounted: it talks through the real PML below the
// monitor.
#pragma once

#include "interpose.h"
#include "report.h"

// Totals over all ranks, known before the first row.
struct gathered_totals {
  uint32_t ranks;
  uint32_t missing_ranks;
  uint64_t untracked_messages;
  uint64_t entries[REPORT_PHASES];
};

// Where rank 0 puts what it gathers; each returns false to stop. After `begin` has returned true,
// `rows` is called once per sender with rows, in rank order.
struct gather_sink {
  void* context;
  bool (*begin)(void* context, const struct gathered_totals* totals);
  bool (*rows)(void* context, uint32_t sender, const struct partner_row* rows, size_t count);
};

enum gather_result {
  GATHER_SENT,       // not rank 0: done
  GATHER_COMPLETE,   // rank 0: the sink has got everything
  GATHER_STOPPED,    // rank 0: the sink stopped it
  GATHER_NO_ROOT,    // rank 0 is not monitored, nobody collects
  GATHER_NO_MEMORY,  // rank 0
  GATHER_FAILED      // the PML could not send or receive
};

enum gather_result gather_counts(const struct monitor* monitor, const struct gather_sink* sink);
