// SPDX-License-Identifier: BSD-3-Clause
// What a replayed log comes to: the figures by which schedulers are compared, and two replays of
// one log side by side, job by job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tofa/replay.hpp"

namespace tofa {

// Over the counted jobs. Flow time is from submission to the end; the stretch of a job is its flow
// time over the run time that the log tells, the same for all policies, so that a shorter run does
// not count as a longer wait.
struct ReplayMetrics {
  std::size_t jobs = 0;
  double makespan = 0;     // from the first submission to the last end, in seconds
  double utilisation = 0;  // share of the machine's cores that runs had, in that time
  double mean_flow = 0;
  double mean_wait = 0;  // in the queue, after aborted runs as well; no run, aborted or not, counts
  double mean_run = 0;   // of the runs that ended well
  double mean_stretch = 0;
  double weighted_stretch = 0;  // mean, jobs weighted by their core seconds
  double bounded_stretch = 0;   // mean; runs shorter than 10 s count as 10 s, and 1 at least
  double mean_ratio = 1;        // R, of jobs on several nodes
  double mean_gain = 0;         // 1 - T'/T, of the same
  double leaves_per_job = 0;    // switches that jobs on several nodes were on, over the fewest that
                                // can hold them
  double fragmentation = 0;
  std::size_t backfilled = 0;
  std::size_t aborts = 0;
  double lost_core_hours = 0;  // in aborted runs
};

// Of jobs submitted within `hours` after the first counted one.
ReplayMetrics measure(const Workload& workload, const Topology& topology, const Replay& replay,
                      unsigned cores_per_node,
                      double hours = std::numeric_limits<double>::infinity());

// How long the choice of nodes took for jobs of up to `ranks` ranks, but more than half as many;
// of those that were counted, are on several nodes and whose traffic is known.
struct ChoiceTimes {
  std::uint64_t ranks;  // a power of two
  std::size_t jobs;
  double mean_seconds;
  double most_seconds;
};
// Ascending; empty where the replay had no clock.
std::vector<ChoiceTimes> choice_times(const Workload& workload, const Replay& replay);

// Job by job, `other` against `base`: how much sooner, with the 90 % confidence interval of the
// mean, and the geometric mean of the ratios base / other.
struct PairedComparison {
  double mean_difference = 0;  // seconds
  double low = 0;
  double high = 0;
  double ratio = 1;
};
PairedComparison compare_flow(const Workload& workload, const Replay& base, const Replay& other);
PairedComparison compare_run(const Replay& base, const Replay& other);

}  // namespace tofa
