// SPDX-License-Identifier: BSD-3-Clause
// What Slurm's states say about the health of nodes. Pure: text in, verdicts out.
//
// A node that is down, failing or in error has failed. One that does not respond (a state with "*")
// is silent, as it is for heartbeats that get no answer: whether it or the network has failed,
// Slurm does not know either. Where it is not down yet it must be so twice in a row, since
// slurmctld also shows nodes like that for a moment after its own start. Drained nodes,
// maintenance, reboots and power saving are somebody's decision: whatever such a node does is
// planned and no failure. Slurm has no opinion on a node that it does not know, or whose state
// tells nothing.
//
// The boot of a node is slurmctld's time less the time that the node says it has run for, whenever
// its slurmd registers, so it moves with that clock. It counts as a new one only where slurmd was
// started soon after it: a slurmd that is started later is a restart of slurmd, and had the node
// been silent for so long before, Slurm would have said so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/slurm_node.hpp"
#include "healthd/background_source.hpp"
#include "healthd/source.hpp"
#include "tofa/host_index.hpp"

namespace tofa::health {

enum class NodeHealth {
  well,
  failed,
  lost,        // down since it does not respond
  silent,      // does not respond at the moment
  planned,     // taken out of service on purpose
  no_opinion,  // a state that tells nothing
};

// Of a state as sinfo's %T prints it, such as "idle", "down*" or "mixed-".
NodeHealth judge_state(std::string_view state);
// Of what libslurm says.
NodeHealth judge_node(const SlurmNode& node);

struct NodeState {
  std::string name;
  NodeHealth health = NodeHealth::no_opinion;
  std::string cause = {};  // of being down, as in tofa/outage_cause.hpp; empty: nothing is known
  double boot = 0;         // 0: unknown
  double started = 0;      // its slurmd
};

// Lines `NODE STATE`; a node may be there several times, once per partition. Throws Error
// (bad_input) when that is not what `text` is.
std::vector<NodeState> parse_node_states(std::string_view text);

// The same from libslurm.
std::vector<NodeState> node_states(const std::vector<SlurmNode>& nodes);

// From one answer of Slurm to the next.
class SlurmOpinions {
 public:
  // The hosts of the configuration; Slurm may know them by their short or their qualified names.
  explicit SlurmOpinions(const std::vector<std::string>& hosts);

  // One verdict per host.
  Opinions judge(const std::vector<NodeState>& states);
  // How many hosts the last answer was about.
  std::size_t known_hosts() const { return known_; }

 private:
  void watch_boot(std::size_t host, const NodeState& state);

  HostIndex hosts_;
  std::vector<bool> silent_;     // in the last answer
  std::vector<double> booted_;   // the last boot of each host
  std::vector<double> started_;  // and the last start of its slurmd
  std::size_t known_ = 0;
};

}  // namespace tofa::health
