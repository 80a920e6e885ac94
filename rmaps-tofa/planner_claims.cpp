// SPDX-License-Identifier: BSD-3-Clause
// Jobs on what others have left: see planner_claims.hpp.
#include "planner_claims.hpp"

#include <algorithm>
#include <cstdlib>

#include "tofa/error.hpp"

namespace tofa::planner {
namespace {

unsigned slots_per_rank(const tofa_job& job) {
  return std::max(1U, job.cpus_per_rank);
}

}  // namespace

RemainingJob::RemainingJob(const tofa_job& job, const std::vector<NodeClaim>& others) : job_(job) {
  const NodeCounts taken = sum_of(others);
  if (taken.empty() || job.oversubscribe) return;
  if (leave(job, taken, true) || leave(job, taken, false)) return;
  job_ = job;
}

// Whether every application still has as many places as ranks.
bool RemainingJob::leave(const tofa_job& job, const NodeCounts& taken, bool whole_nodes) {
  nodes_.assign(job.nodes, job.nodes + job.node_count);
  apps_.assign(job.apps, job.apps + job.app_count);
  nodes_of_apps_.assign(job.app_count, {});
  for (tofa_node& node : nodes_) {
    const auto entry = taken.find(node.name);
    if (entry == taken.end()) continue;
    const bool gone = whole_nodes || entry->second >= node.slots;
    node.slots = gone ? 0 : node.slots - entry->second;
    node.slots_max = std::min(node.slots_max, node.slots);
  }
  unsigned long places = 0;
  for (const tofa_node& node : nodes_) places += node.slots / slots_per_rank(job);
  unsigned long ranks = 0;
  for (std::size_t i = 0; i < apps_.size(); ++i) {
    std::vector<unsigned>& list = nodes_of_apps_[i];
    unsigned long own_places = 0;
    for (std::size_t k = 0; k < apps_[i].node_count; ++k) {
      const unsigned node = apps_[i].nodes[k];
      if (nodes_[node].slots == 0) continue;
      list.push_back(node);
      own_places += nodes_[node].slots / slots_per_rank(job);
    }
    if (own_places < apps_[i].ranks) return false;
    apps_[i].nodes = list.data();
    apps_[i].node_count = list.size();
    ranks += apps_[i].ranks;
  }
  job_.nodes = nodes_.data();
  job_.apps = apps_.data();
  return places >= ranks;
}

std::optional<NodeClaims> read_claims() {
  const char* job = std::getenv("SLURM_JOB_ID");
  if (job == nullptr || *job == '\0') return std::nullopt;
  try {
    return NodeClaims(job);
  } catch (const Error&) {
    return std::nullopt;
  }
}

NodeCounts claim_of(const tofa_job& job, const std::vector<unsigned>& node_of_rank) {
  NodeCounts claim;
  for (const unsigned node : node_of_rank) claim[job.nodes[node].name] += slots_per_rank(job);
  return claim;
}

}  // namespace tofa::planner
