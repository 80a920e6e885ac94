// SPDX-License-Identifier: BSD-3-Clause
// Slurm's scheduler: when which job starts. In the order of the queue until a job does not fit; and
// by backfilling as sched/backfill does it (conservatively: each job that is looked at and cannot
// start gets nodes reserved for the earliest time that the others' time limits allow, and nothing
// that starts may be in their way). Reservations are of whole nodes and made anew every time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "replay/free_nodes.hpp"
#include "replay/machine_groups.hpp"
#include "tofa/replay.hpp"

namespace tofa {

struct QueuedJob {
  NodeRequest request;
  double limit_seconds = 0;
  double priority = 0;
};

class Scheduler {
 public:
  // Decides which of `allowed` a job gets that starts now; Slurm would take `by_default`.
  using Choose = std::function<std::vector<Node>(std::uint32_t job, const NodeSet& allowed,
                                                 const std::vector<Node>& by_default)>;

  // Nodes that are `down`, or for other reasons of no use, get no jobs. The groups and jobs must
  // outlive the scheduler.
  Scheduler(const MachineGroups& groups, const std::vector<QueuedJob>& jobs,
            unsigned cores_per_node, const std::vector<Node>& down, const SchedulerLimits& limits,
            Choose choose);

  void submit(std::uint32_t job) { queue_.emplace(-jobs_[job].priority, job); }
  void finish(std::uint32_t job);
  void start_in_order(double now);
  // Returns the jobs it started, each ahead of one that came before it.
  std::vector<std::uint32_t> backfill(double now);

  const FreeNodes& free() const { return free_; }
  bool idle() const { return queue_.empty(); }
  // Nodes that are up.
  Node usable() const { return usable_; }

 private:
  // From `begin` to `end` jobs may be put on the nodes that are `open`.
  struct Window {
    double begin;
    double end;
    NodeSet open;
  };
  // When and on which nodes a job could start; no nodes: never.
  struct Prospect {
    double start;
    std::vector<Node> nodes;
  };

  struct Least {
    unsigned nodes = std::numeric_limits<unsigned>::max();  // whole ones
    unsigned cores = std::numeric_limits<unsigned>::max();  // of one
    double seconds = std::numeric_limits<double>::infinity();
  };

  bool start(std::uint32_t job, double now, const NodeSet& allowed);
  std::vector<Least> least_asked(
      const std::vector<std::pair<double, std::uint32_t>>& looked_at) const;
  bool nothing_fits(const Least& least, double now, const std::vector<Window>& windows) const;
  bool start_or_reserve(std::uint32_t job, double now, std::vector<Window>& windows);
  Prospect earliest(std::uint32_t job, double from, double now, const NodeSet& open) const;
  static bool is_open(const std::vector<Window>& windows, double begin, double end,
                      const std::vector<Node>& nodes);
  static void reserve(std::vector<Window>& windows, double begin, double end,
                      const std::vector<Node>& nodes);
  static void split(std::vector<Window>& windows, double at);

  const MachineGroups& groups_;
  const std::vector<QueuedJob>& jobs_;
  SchedulerLimits limits_;
  Choose choose_;
  FreeNodes free_;
  Node usable_;
  NodeSet all_;
  std::set<std::pair<double, std::uint32_t>> queue_;    // who goes first, first
  std::set<std::pair<double, std::uint32_t>> running_;  // by the end that its limit sets
  std::vector<double> expected_end_;                    // by job
  std::vector<std::vector<Node>> nodes_of_;             // by job, while it runs
};

}  // namespace tofa
