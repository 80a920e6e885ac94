// SPDX-License-Identifier: BSD-3-Clause
// Sums over the jobs of a replay: see tofa/replay_metrics.hpp.
#include "tofa/replay_metrics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>

#include "replay/machine_groups.hpp"

namespace tofa {
namespace {

constexpr double kShortestRun = 10;  // seconds, for bounded stretch
constexpr double kHour = 3600;

// The fewest leaf switches that hold so many nodes, by number of nodes - 1.
std::vector<std::uint32_t> fewest_leaves(const MachineGroups& groups) {
  std::vector<std::size_t> sizes;
  for (const std::vector<Node>& leaf : groups.leaf_nodes) sizes.push_back(leaf.size());
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  std::vector<std::uint32_t> fewest;
  for (std::size_t leaf = 0; leaf < sizes.size(); ++leaf)
    fewest.insert(fewest.end(), sizes[leaf], static_cast<std::uint32_t>(leaf + 1));
  return fewest;
}

unsigned cores_of(const LoggedJob& job, const JobRun& run, unsigned cores_per_node) {
  const auto nodes = static_cast<unsigned>(run.nodes.size());
  return nodes == 1 ? std::min(job.ranks, cores_per_node) : nodes * cores_per_node;
}

// In ratios, no time is shorter: jobs that only communicate take none where all is within nodes.
constexpr double kLeastSeconds = 1e-3;

PairedComparison compare_pairs(const Replay& base, const Replay& other,
                               const std::function<double(const Replay&, std::size_t)>& value) {
  double sum = 0;
  double squares = 0;
  double logs = 0;
  double count = 0;
  for (std::size_t i = 0; i < base.jobs.size(); ++i) {
    if (!base.jobs[i].counted) continue;
    const double first = value(base, i);
    const double second = value(other, i);
    sum += first - second;
    squares += (first - second) * (first - second);
    logs += std::log(std::max(first, kLeastSeconds) / std::max(second, kLeastSeconds));
    ++count;
  }
  PairedComparison comparison;
  if (count == 0) return comparison;
  comparison.mean_difference = sum / count;
  comparison.ratio = std::exp(logs / count);
  constexpr double z_of_90_percent = 1.6449;
  const double variance = std::max(0.0, squares / count - std::pow(sum / count, 2));
  const double half = z_of_90_percent * std::sqrt(variance / count);
  comparison.low = comparison.mean_difference - half;
  comparison.high = comparison.mean_difference + half;
  return comparison;
}

class Sums {
 public:
  Sums(const Workload& workload, const Topology& topology, const Replay& replay,
       unsigned cores_per_node)
      : workload_(workload),
        replay_(replay),
        cores_per_node_(cores_per_node),
        cores_(static_cast<double>(machine_nodes(topology)) * cores_per_node),
        fewest_(fewest_leaves(MachineGroups(topology))) {}

  ReplayMetrics of(double hours) {
    double first = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < replay_.jobs.size(); ++i)
      if (replay_.jobs[i].counted) first = std::min(first, workload_.jobs[i].submit);
    double last = first;
    for (std::size_t i = 0; i < replay_.jobs.size(); ++i) {
      if (!replay_.jobs[i].counted || workload_.jobs[i].submit > first + hours * kHour) continue;
      add(workload_.jobs[i], replay_.jobs[i], replay_.last_run(i));
      last = std::max(last, replay_.last_run(i).end);
    }
    if (sums_.jobs == 0) return {};
    sums_.makespan = last - first;
    sums_.utilisation = used_between(first, last) / (cores_ * std::max(sums_.makespan, 1e-9));
    sums_.fragmentation = replay_.fragmentation;
    const auto jobs = static_cast<double>(sums_.jobs);
    for (double* sum : {&sums_.mean_flow, &sums_.mean_wait, &sums_.mean_run, &sums_.mean_stretch,
                        &sums_.bounded_stretch})
      *sum /= jobs;
    sums_.weighted_stretch /= weights_;
    sums_.mean_ratio = spread_jobs_ > 0 ? ratios_ / spread_jobs_ : 1;
    sums_.mean_gain = spread_jobs_ > 0 ? gains_ / spread_jobs_ : 0;
    if (spread_jobs_ > 0) sums_.leaves_per_job /= spread_jobs_;
    return sums_;
  }

 private:
  void add(const LoggedJob& job, const JobOutcome& outcome, const JobRun& run) {
    const double flow = run.end - job.submit;
    const double weight = cores_of(job, run, cores_per_node_) * job.run_seconds;
    ++sums_.jobs;
    sums_.mean_flow += flow;
    // Rounding must not make a wait of nothing negative.
    sums_.mean_wait += std::max(0.0, flow - outcome.lost_seconds - run.run_seconds);
    sums_.mean_run += run.run_seconds;
    sums_.mean_stretch += flow / job.run_seconds;
    sums_.weighted_stretch += weight * flow / job.run_seconds;
    sums_.bounded_stretch += std::max(1.0, flow / std::max(job.run_seconds, kShortestRun));
    sums_.backfilled += outcome.backfilled ? 1 : 0;
    sums_.aborts += outcome.aborts;
    sums_.lost_core_hours += outcome.lost_seconds / kHour * cores_of(job, run, cores_per_node_);
    weights_ += weight;
    const std::size_t nodes = run.nodes.size();
    if (nodes < 2) return;
    ++spread_jobs_;
    ratios_ += run.ratio;
    gains_ += 1 - run.run_seconds / job.run_seconds;
    if (nodes <= fewest_.size())
      sums_.leaves_per_job += static_cast<double>(run.leaves) / fewest_[nodes - 1];
  }

  // Core seconds of all runs, those that aborted and those before the counted ones included.
  double used_between(double from, double to) const {
    double used = 0;
    for (const JobRun& run : replay_.runs) {
      const double time = std::min(run.end, to) - std::max(run.start, from);
      used += std::max(0.0, time) * cores_of(workload_.jobs[run.job], run, cores_per_node_);
    }
    return used;
  }

  const Workload& workload_;
  const Replay& replay_;
  unsigned cores_per_node_;
  double cores_;
  std::vector<std::uint32_t> fewest_;
  ReplayMetrics sums_{.mean_ratio = 1};
  double weights_ = 0;
  double spread_jobs_ = 0;
  double ratios_ = 0;
  double gains_ = 0;
};

}  // namespace

ReplayMetrics measure(const Workload& workload, const Topology& topology, const Replay& replay,
                      unsigned cores_per_node, double hours) {
  return Sums(workload, topology, replay, cores_per_node).of(hours);
}

std::vector<ChoiceTimes> choice_times(const Workload& workload, const Replay& replay) {
  std::map<std::uint64_t, ChoiceTimes> by_ranks;
  for (std::size_t i = 0; i < replay.jobs.size(); ++i) {
    const double seconds = replay.last_run(i).choice_seconds;
    if (!replay.jobs[i].counted || seconds <= 0) continue;
    const std::uint64_t ranks = std::bit_ceil(std::uint64_t{workload.jobs[i].ranks});
    ChoiceTimes& times = by_ranks.try_emplace(ranks, ChoiceTimes{ranks, 0, 0, 0}).first->second;
    ++times.jobs;
    times.mean_seconds += seconds;
    times.most_seconds = std::max(times.most_seconds, seconds);
  }
  std::vector<ChoiceTimes> all;
  for (auto& [ranks, times] : by_ranks) {
    times.mean_seconds /= static_cast<double>(times.jobs);
    all.push_back(times);
  }
  return all;
}

PairedComparison compare_flow(const Workload& workload, const Replay& base, const Replay& other) {
  return compare_pairs(base, other, [&workload](const Replay& replay, std::size_t job) {
    return replay.last_run(job).end - workload.jobs[job].submit;
  });
}

PairedComparison compare_run(const Replay& base, const Replay& other) {
  return compare_pairs(base, other, [](const Replay& replay, std::size_t job) {
    return replay.last_run(job).run_seconds;
  });
}

}  // namespace tofa
