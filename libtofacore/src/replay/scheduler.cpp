// SPDX-License-Identifier: BSD-3-Clause
// Most passes of backfill find nothing to start, so they end as soon as no job that is left could
// fit on what is free.
#include "replay/scheduler.hpp"

#include <algorithm>
#include <optional>

#include "replay/default_selection.hpp"

namespace tofa {

Scheduler::Scheduler(const MachineGroups& groups, const std::vector<QueuedJob>& jobs,
                     unsigned cores_per_node, const std::vector<Node>& down,
                     const SchedulerLimits& limits, Choose choose)
    : groups_(groups),
      jobs_(jobs),
      limits_(limits),
      choose_(std::move(choose)),
      free_(groups.nodes, cores_per_node),
      usable_(static_cast<Node>(groups.nodes - down.size())),
      all_(groups.nodes, true),
      expected_end_(jobs.size()),
      nodes_of_(jobs.size()) {
  free_.take(down, {static_cast<unsigned>(down.size()), 0});
}

bool Scheduler::start(std::uint32_t job, double now, const NodeSet& allowed) {
  const NodeRequest& request = jobs_[job].request;
  const std::vector<Node> by_default = default_selection(groups_, free_, allowed, request);
  if (by_default.empty()) return false;
  nodes_of_[job] = choose_(job, allowed, by_default);
  free_.take(nodes_of_[job], request);
  expected_end_[job] = now + jobs_[job].limit_seconds;
  running_.emplace(expected_end_[job], job);
  return true;
}

void Scheduler::finish(std::uint32_t job) {
  running_.erase({expected_end_[job], job});
  free_.give_back(nodes_of_[job], jobs_[job].request);
  nodes_of_[job].clear();
}

void Scheduler::start_in_order(double now) {
  while (!queue_.empty()) {
    const std::uint32_t first = queue_.begin()->second;
    const NodeRequest& request = jobs_[first].request;
    if (request.cores == 0 && request.nodes > free_.idle_nodes()) return;
    if (!start(first, now, all_)) return;
    queue_.erase(queue_.begin());
  }
}

std::vector<std::uint32_t> Scheduler::backfill(double now) {
  std::vector<std::pair<double, std::uint32_t>> looked_at;
  for (const auto& entry : queue_) {
    if (looked_at.size() == limits_.depth) break;
    looked_at.push_back(entry);
  }
  const std::vector<Least> least = least_asked(looked_at);
  std::vector<Window> windows{{now, now + limits_.window_seconds, all_}};
  std::vector<std::uint32_t> started;
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    if (nothing_fits(least[i], now, windows)) break;
    const std::uint32_t job = looked_at[i].second;
    if (!start_or_reserve(job, now, windows)) continue;
    queue_.erase(looked_at[i]);
    started.push_back(job);
  }
  return started;
}

// By job, the least that it and those behind it ask for.
std::vector<Scheduler::Least> Scheduler::least_asked(
    const std::vector<std::pair<double, std::uint32_t>>& looked_at) const {
  std::vector<Least> least(looked_at.size() + 1);
  for (std::size_t i = looked_at.size(); i-- > 0;) {
    const QueuedJob& job = jobs_[looked_at[i].second];
    least[i] = least[i + 1];
    unsigned& kind = job.request.cores == 0 ? least[i].nodes : least[i].cores;
    kind = std::min(kind, job.request.cores == 0 ? job.request.nodes : job.request.cores);
    least[i].seconds = std::min(least[i].seconds, job.limit_seconds);
  }
  return least;
}

// Whether no job that asks for so much could start now, whatever it is.
bool Scheduler::nothing_fits(const Least& least, double now,
                             const std::vector<Window>& windows) const {
  NodeSet open = all_;
  for (const Window& window : windows)
    if (window.begin < now + least.seconds) open.keep_only(window.open);
  unsigned idle = 0;
  unsigned cores = 0;
  for (Node node = 0; node < free_.nodes(); ++node) {
    if (free_.cores(node) == 0 || !open.has(node)) continue;
    idle += free_.idle(node) ? 1 : 0;
    cores = std::max(cores, free_.cores(node));
  }
  return least.nodes > idle && least.cores > cores;
}

bool Scheduler::start_or_reserve(std::uint32_t job, double now, std::vector<Window>& windows) {
  const double limit = jobs_[job].limit_seconds;
  double from = now;
  for (;;) {
    NodeSet open = all_;
    double later = 0;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const Window& window = windows[i];
      if (window.end <= from || window.begin >= from + limit) continue;
      open.keep_only(window.open);
      if (later == 0 && i + 1 < windows.size()) later = window.end;
    }
    const Prospect prospect = earliest(job, from, now, open);
    const bool possible = !prospect.nodes.empty();
    if (possible && prospect.start <= now) return start(job, now, open);
    if (possible && (later == 0 || prospect.start <= later)) {
      if (prospect.start > now + limits_.window_seconds) return false;
      const double end = prospect.start + limit;
      if (is_open(windows, prospect.start, end, prospect.nodes)) {
        reserve(windows, prospect.start, end, prospect.nodes);
        return false;
      }
    }
    if (later == 0) return false;
    from = later;
  }
}

// Once jobs that run have come to their limits. As in Slurm they are taken away in batches: those
// that end within half a minute of the first of them, within a minute, two minutes, and so on; and
// the nodes are those that suit at that time, even where others have reserved so much that the job
// cannot start before `from`.
Scheduler::Prospect Scheduler::earliest(std::uint32_t job, double from, double now,
                                        const NodeSet& open) const {
  constexpr double first_batch = 30;  // seconds
  const NodeRequest& request = jobs_[job].request;
  std::vector<std::uint8_t> fits;
  Node fitting = free_.find_fitting(open, request, fits);
  // Which nodes it gets where it starts at once is decided then.
  if (fitting >= request.nodes && from <= now) return {now, {0}};
  FreeNodes then = free_;
  double start = now;
  double batch = first_batch;
  std::optional<double> first_end;
  bool batch_over = true;
  for (auto next = running_.begin(); next != running_.end();) {
    if (batch_over && fitting >= request.nodes) break;
    const auto [end, other] = *next++;
    const std::vector<Node>& nodes = nodes_of_[other];
    if (std::none_of(nodes.begin(), nodes.end(), [&open](Node node) { return open.has(node); }))
      continue;
    for (const Node node : nodes) {
      const bool before = then.fits(node, request);
      then.give_back(node, jobs_[other].request);
      if (!before && open.has(node) && then.fits(node, request)) ++fitting;
    }
    first_end = first_end.value_or(end);
    start = std::max(start, end);
    batch_over = next == running_.end() || next->first > *first_end + batch;
    if (!batch_over || fitting >= request.nodes || next == running_.end()) continue;
    while (next->first > *first_end + batch) batch *= 2;
  }
  if (fitting < request.nodes) return {start, {}};
  return {std::max(start, from), default_selection(groups_, then, open, request)};
}

bool Scheduler::is_open(const std::vector<Window>& windows, double begin, double end,
                        const std::vector<Node>& nodes) {
  return std::all_of(windows.begin(), windows.end(), [&](const Window& window) {
    return window.end <= begin || window.begin >= end ||
           std::all_of(nodes.begin(), nodes.end(),
                       [&window](Node node) { return window.open.has(node); });
  });
}

void Scheduler::split(std::vector<Window>& windows, double at) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].begin >= at || windows[i].end <= at) continue;
    Window second = windows[i];
    second.begin = at;
    windows[i].end = at;
    windows.insert(windows.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(second));
    return;
  }
}

void Scheduler::reserve(std::vector<Window>& windows, double begin, double end,
                        const std::vector<Node>& nodes) {
  split(windows, begin);
  split(windows, end);
  for (Window& window : windows) {
    if (window.begin < begin || window.end > end) continue;
    for (const Node node : nodes) window.open.remove(node);
  }
}

}  // namespace tofa
