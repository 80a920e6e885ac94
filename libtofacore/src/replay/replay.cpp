// SPDX-License-Identifier: BSD-3-Clause
// The course of time: jobs come and end, the scheduler starts what it can, and the policy says on
// which nodes and so for how long they run.
#include "tofa/replay.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "mapping/tools/random_source.hpp"
#include "replay/default_selection.hpp"
#include "replay/policy.hpp"
#include "replay/scheduler.hpp"
#include "tofa/error.hpp"
#include "tofa/metrics.hpp"

namespace tofa {
namespace {

// A job that failed so often is given up, as its user would.
constexpr unsigned kMostRuns = 20;

NodeRequest request_of(const LoggedJob& job, unsigned cores_per_node) {
  const unsigned least = (job.ranks - 1) / cores_per_node + 1;
  const unsigned nodes = std::max(job.nodes, least);
  if (nodes == 1 && job.ranks < cores_per_node) return {1, job.ranks};
  return {nodes, 0};
}

bool is_virtual(const Topology& topology, Node node) {
  return topology.host(node) != node;
}

// Those that no job may have: they are certain to fail, or virtual hosts.
std::vector<Node> unusable_nodes(const Topology& topology, const OutageMap& outages) {
  std::vector<Node> unusable;
  for (Node node = 0; node < topology.nodes(); ++node)
    if (outages.dead(node) || is_virtual(topology, node)) unusable.push_back(node);
  return unusable;
}

// The same for a job and its run under every policy.
double drawn(std::uint64_t seed, std::uint32_t job, unsigned run, unsigned what) {
  constexpr std::uint64_t runs = 64;
  RandomSource source(seed);
  return RandomSource(source.next() + (job * runs + run) * 2 + what).unit();
}

double idle_fragmentation(const MachineGroups& groups, const FreeNodes& free) {
  if (free.idle_nodes() == 0) return 0;
  Node together = 0;
  if (groups.is_tree()) {
    for (const std::vector<Node>& leaf : groups.leaf_nodes) {
      const bool all =
          std::all_of(leaf.begin(), leaf.end(), [&free](Node node) { return free.idle(node); });
      together += all ? static_cast<Node>(leaf.size()) : 0;
    }
  } else {
    Node run = 0;
    for (Node node = 0; node < free.nodes(); ++node) {
      run = free.idle(node) ? run + 1 : 0;
      together = std::max(together, run);
    }
  }
  return 1 - static_cast<double>(together) / free.idle_nodes();
}

struct Ending {
  double time;
  std::uint32_t job;
  bool aborted;
  friend bool operator>(const Ending& a, const Ending& b) {
    return a.time != b.time ? a.time > b.time : a.job > b.job;
  }
};

class Course {
 public:
  Course(const Workload& workload, const Topology& topology, const OutageMap& outages,
         JobTraffic& traffic, const ReplayPolicy& policy, const ReplayOptions& options)
      : workload_(workload),
        topology_(topology),
        outages_(outages),
        traffic_(traffic),
        policy_(policy),
        options_(options),
        groups_(topology),
        queued_(queued_jobs()),
        scheduler_(
            groups_, queued_, options.cores_per_node, unusable_nodes(topology, outages),
            options.limits,
            [this](std::uint32_t job, const NodeSet& allowed, const std::vector<Node>& by_default) {
              return start(job, allowed, by_default);
            }) {
    check();
    result_.policy = policy.name;
    result_.jobs.resize(workload.jobs.size());
    counted_from_ = workload.jobs.front().submit + options.warm_up_seconds;
    for (std::size_t i = 0; i < workload.jobs.size(); ++i)
      result_.jobs[i].counted = workload.jobs[i].submit >= counted_from_;
  }

  Replay run() {
    const std::vector<LoggedJob>& jobs = workload_.jobs;
    std::uint32_t next = 0;
    std::size_t ended = 0;
    double next_backfill = -std::numeric_limits<double>::infinity();
    bool changed = false;  // since backfill last went through the queue
    now_ = jobs.front().submit;
    while (next < jobs.size() || !endings_.empty()) {
      double time = std::numeric_limits<double>::infinity();
      if (next < jobs.size()) time = jobs[next].submit;
      if (!endings_.empty()) time = std::min(time, endings_.top().time);
      if (changed && !scheduler_.idle()) time = std::min(time, std::max(now_, next_backfill));
      advance(time, jobs.back().submit);
      bool event = false;
      for (; !endings_.empty() && endings_.top().time <= now_; event = true) ended += end_one();
      for (; next < jobs.size() && jobs[next].submit <= now_; ++next, event = true)
        scheduler_.submit(next);
      if (event) scheduler_.start_in_order(now_);
      changed = changed || event;
      if (changed && now_ >= next_backfill) {
        for (const std::uint32_t job : scheduler_.backfill(now_))
          result_.jobs[job].backfilled = true;
        next_backfill = now_ + options_.limits.interval_seconds;
        changed = false;
      }
      if (event && options_.progress) options_.progress(ended);
    }
    if (fragmented_time_ > 0) result_.fragmentation = fragmented_ / fragmented_time_;
    return std::move(result_);
  }

 private:
  std::vector<QueuedJob> queued_jobs() const {
    std::vector<QueuedJob> queued;
    queued.reserve(workload_.jobs.size());
    for (const LoggedJob& job : workload_.jobs) {
      queued.push_back({request_of(job, options_.cores_per_node), job.limit_seconds, job.priority});
    }
    return queued;
  }

  void check() const {
    for (std::size_t i = 0; i < queued_.size(); ++i) {
      if (queued_[i].request.nodes <= scheduler_.usable()) continue;
      throw Error(
          ErrorKind::bad_input,
          fmt::format("job {} needs {} nodes of {} cores, but only {} are up", workload_.jobs[i].id,
                      queued_[i].request.nodes, options_.cores_per_node, scheduler_.usable()));
    }
  }

  void advance(double time, double last_submit) {
    const double from = std::max(now_, counted_from_);
    const double to = std::min(time, last_submit);
    if (to > from) {
      fragmented_ += (to - from) * idle_fragmentation(groups_, scheduler_.free());
      fragmented_time_ += to - from;
    }
    now_ = std::max(now_, time);
  }

  // Whether the job is done with.
  bool end_one() {
    const Ending ending = endings_.top();
    endings_.pop();
    scheduler_.finish(ending.job);
    if (!ending.aborted) return true;
    scheduler_.submit(ending.job);
    return false;
  }

  std::vector<Node> start(std::uint32_t job, const NodeSet& allowed,
                          const std::vector<Node>& by_default) {
    const LoggedJob& logged = workload_.jobs[job];
    JobRun run;
    run.job = job;
    run.nodes = by_default;
    double communication = 0;
    if (result_.jobs[job].counted && &policy_ != policy_registry().front())
      communication = choose(allowed, run);
    run.start = now_;
    run.run_seconds = (1 + run.ratio * communication - communication) * logged.run_seconds;
    run.leaves = groups_.leaves_of(run.nodes);
    std::sort(run.nodes.begin(), run.nodes.end());
    abort_or_not(run);
    run.end = now_ + run.run_seconds;
    endings_.push({run.end, job, run.aborted});
    result_.jobs[job].last_run = result_.runs.size();
    result_.runs.push_back(std::move(run));
    return result_.runs.back().nodes;
  }

  // Other nodes than Slurm's, which the run has so far. Returns the share of communication.
  double choose(const NodeSet& allowed, JobRun& run) {
    NodeChoice choice{std::move(run.nodes), 0};
    const TrafficOfJob traffic =
        traffic_.of(workload_.jobs[run.job], static_cast<unsigned>(choice.nodes.size()));
    if (traffic.nodes != nullptr)
      choice.hop_bytes = hop_bytes_of(traffic.nodes->blocks, topology_, choice.nodes);
    const NodeChoice by_default = choice;
    const double begin = options_.clock ? options_.clock() : 0;
    choice = policy_.choose({.topology = topology_,
                             .groups = groups_,
                             .outages = outages_,
                             .free = scheduler_.free(),
                             .allowed = allowed,
                             .request = queued_[run.job].request,
                             .by_default = by_default,
                             .traffic = traffic.nodes,
                             .communication = traffic.communication});
    if (options_.clock && traffic.nodes != nullptr)
      run.choice_seconds = options_.clock() - begin + traffic.nodes->grouping_seconds;
    if (by_default.hop_bytes > 0) run.ratio = choice.hop_bytes / by_default.hop_bytes;
    run.nodes = std::move(choice.nodes);
    return traffic.communication;
  }

  // A run that aborts takes a part of its time only.
  void abort_or_not(JobRun& run) {
    JobOutcome& outcome = result_.jobs[run.job];
    double survival = 1;
    for (const Node node : run.nodes) survival *= 1 - outages_.probability(node);
    run.abort_probability = 1 - survival;
    run.aborted = outcome.aborts + 1 < kMostRuns &&
                  drawn(options_.seed, run.job, outcome.aborts, 0) < run.abort_probability;
    if (!run.aborted) return;
    run.run_seconds *= drawn(options_.seed, run.job, outcome.aborts, 1);
    outcome.lost_seconds += run.run_seconds;
    ++outcome.aborts;
  }

  const Workload& workload_;
  const Topology& topology_;
  const OutageMap& outages_;
  JobTraffic& traffic_;
  const ReplayPolicy& policy_;
  const ReplayOptions& options_;
  MachineGroups groups_;
  std::vector<QueuedJob> queued_;
  Scheduler scheduler_;
  Replay result_;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings_;
  double now_ = 0;
  double counted_from_ = 0;
  double fragmented_ = 0;
  double fragmented_time_ = 0;
};

}  // namespace

Node machine_nodes(const Topology& topology) {
  Node count = 0;
  for (Node node = 0; node < topology.nodes(); ++node) count += is_virtual(topology, node) ? 0 : 1;
  return count;
}

Workload fitting_workload(const Workload& workload, const Topology& topology,
                          const OutageMap& outages, unsigned cores_per_node) {
  const std::size_t usable = topology.nodes() - unusable_nodes(topology, outages).size();
  Workload fitting = workload;
  std::erase_if(fitting.jobs, [&](const LoggedJob& job) {
    return request_of(job, cores_per_node).nodes > usable;
  });
  fitting.left_out += workload.jobs.size() - fitting.jobs.size();
  return fitting;
}

Replay replay(const Workload& workload, const Topology& topology, const OutageMap& outages,
              JobTraffic& traffic, const ReplayPolicy& policy, const ReplayOptions& options) {
  if (workload.jobs.empty()) throw Error(ErrorKind::bad_input, "there are no jobs to replay");
  if (options.cores_per_node == 0)
    throw Error(ErrorKind::bad_input, "a node has one core at least");
  return Course(workload, topology, outages, traffic, policy, options).run();
}

}  // namespace tofa
