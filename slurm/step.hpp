// SPDX-License-Identifier: BSD-3-Clause
// What a job step asks for: how many ranks, on which nodes of the allocation, with how many places
// on each; and what an srun outside of an allocation asks for, whose nodes are still to be chosen.
// Taken from srun's command line and, where that is silent, from the environment.
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

// The job that an srun outside of an allocation asks Slurm for.
struct Job {
  unsigned ranks = 0;
  unsigned cpus_per_task = 1;
  std::optional<unsigned> use;              // -N
  std::optional<unsigned> ntasks_per_node;  // at most
  std::optional<unsigned> slots;            // of a node, whatever its processors (-O)
  std::string partition;                    // empty: Slurm's default
  std::string exclude;
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

// The same for a job.
Job describe_job(const SrunCommand& command, const Environment& environment);

// The counts of a list such as "2(x3),1" as Slurm writes them. Throws Error (bad_input).
std::vector<unsigned> expand_counts(std::string_view text);

}  // namespace tofa::spank
