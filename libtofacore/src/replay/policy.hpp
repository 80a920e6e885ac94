// SPDX-License-Identifier: BSD-3-Clause
// The interface of a policy and the registry of them. A new policy is one file in policies/ that
// defines a `ReplayPolicy`, plus its line in policy.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "base/registry.hpp"
#include "replay/free_nodes.hpp"
#include "replay/machine_groups.hpp"
#include "tofa/replay.hpp"

namespace tofa {

// Nodes for a job, and which of its parts is on which.
struct NodeChoice {
  std::vector<Node> nodes;  // by part: of the blocks or groups of its ranks
  double hop_bytes = 0;
};

// What a policy is given. There are enough nodes, as `by_default` shows, which Slurm would take.
struct PolicyTask {
  const Topology& topology;
  const MachineGroups& groups;
  const OutageMap& outages;
  const FreeNodes& free;
  const NodeSet& allowed;  // not reserved for others
  const NodeRequest& request;
  const NodeChoice& by_default;
  const NodeTraffic* traffic;  // null: nothing is known of it, or it is on one node
  double communication;        // alpha

  std::vector<Node> candidates() const;  // all that fit, ascending
};

struct ReplayPolicy {
  std::string_view name;
  std::string_view title;
  NodeChoice (*choose)(const PolicyTask& task);
  bool needs_outages = false;
  bool for_comparison = false;
};

Registry<ReplayPolicy> policy_registry();

}  // namespace tofa
