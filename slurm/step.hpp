// SPDX-License-Identifier: BSD-3-Clause
// What a job step asks for: how many ranks, on which nodes of the allocation, with how many places
// on each. Taken from srun's command line and, where that is silent, from the environment that
// Slurm gives to what runs inside an allocation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "srun_command.hpp"

namespace tofa::spank {

using Environment = std::map<std::string, std::string>;

struct NodeSlots {
  std::string name;
  unsigned slots = 0;
  bool operator==(const NodeSlots&) const = default;
};

struct Step {
  unsigned ranks = 0;
  std::vector<NodeSlots> nodes;  // in Slurm's order, without nodes that take no rank
  std::optional<unsigned> use;   // srun -N: the number of nodes that must get a rank
};

enum class Origin {
  command_line,  // srun --tofa: what cannot be combined with it is an error
  inherited,     // sbatch --tofa, salloc --tofa, SLURM_TOFA: srun's command line goes first
};

// The options of this command, if any, that say in another way where ranks go; for a message.
std::string conflict(const SrunCommand& command);

// Whether it starts the daemons of an MPI launcher, which places the ranks itself.
bool starts_daemons(const SrunCommand& command);

bool inside_allocation(const Environment& environment);

// Throws Error: unmet or unavailable when tofa cannot place this step, with the reason.
Step describe_step(const SrunCommand& command, const Environment& environment);

// The counts of a list such as "2(x3),1" as Slurm writes them. Throws Error (bad_input).
std::vector<unsigned> expand_counts(std::string_view text);

// As many slots in all as ranks, and at least one on each node, as evenly as the nodes allow: any
// placement then uses every one of these nodes.
std::vector<NodeSlots> spread(std::vector<NodeSlots> nodes, unsigned ranks);

}  // namespace tofa::spank
