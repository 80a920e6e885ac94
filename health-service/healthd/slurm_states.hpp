// SPDX-License-Identifier: BSD-3-Clause
// What Slurm's states say about the health of nodes. Pure: text in, verdicts out.
//
// A node that is down, failing or in error has failed; one that does not respond (a state with "*")
// has failed when it does so twice in a row, since slurmctld also shows nodes like that for a
// moment after its own start. Drained nodes, maintenance, reboots and power saving are somebody's
// decision and no failure: Slurm then has no opinion, and neither has it on a node that it does not
// know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "healthd/source.hpp"
#include "tofa/host_index.hpp"

namespace tofa::health {

enum class NodeHealth {
  well,
  failed,
  silent,      // does not respond at the moment
  no_opinion,  // taken out on purpose, or a state that tells nothing
};

// Of a state as sinfo's %T prints it, such as "idle", "down*" or "mixed-".
NodeHealth judge_state(std::string_view state);

struct NodeState {
  std::string name;
  NodeHealth health = NodeHealth::no_opinion;
};

// Lines `NODE STATE`; a node may be there several times, once per partition. Throws Error
// (bad_input) when that is not what `text` is.
std::vector<NodeState> parse_node_states(std::string_view text);

// From one answer of Slurm to the next.
class SlurmOpinions {
 public:
  // The hosts of the configuration; Slurm may know them by their short or their qualified names.
  explicit SlurmOpinions(const std::vector<std::string>& hosts);

  // One verdict per host.
  std::vector<Verdict> judge(const std::vector<NodeState>& states);
  // How many hosts the last answer was about.
  std::size_t known_hosts() const { return known_; }

 private:
  HostIndex hosts_;
  std::vector<bool> silent_;  // in the last answer
  std::size_t known_ = 0;
};

}  // namespace tofa::health
