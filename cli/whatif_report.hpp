// SPDX-License-Identifier: BSD-3-Clause
// What `tofa whatif` says: a table for people, JSON for scripts, a line per run for a spreadsheet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tofa/replay_metrics.hpp"

namespace tofa::cli {

// A log under one policy with one share of communication.
struct WhatifRun {
  double communication;
  std::string title;
  std::shared_ptr<const Replay> replay;
  ReplayMetrics all;
  std::vector<ReplayMetrics> by_hours;    // of the jobs of the first hours, as asked for
  std::vector<ChoiceTimes> choice_times;  // empty: not asked for, or nothing is chosen
};

struct WhatifResult {
  Workload workload;
  std::unique_ptr<Topology> topology;
  unsigned cores_per_node = 1;
  double warm_up_seconds = 0;
  std::vector<double> hours;
  std::vector<double> communications;
  std::vector<WhatifRun> runs;  // by share of communication, in it by policy, Slurm's first
};

std::string whatif_text(const WhatifResult& result);
std::string whatif_json(const WhatifResult& result);
// When and where each job ran in each replay, as CSV: a line for each time it started.
std::string whatif_schedule(const WhatifResult& result);

}  // namespace tofa::cli
