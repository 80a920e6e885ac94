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

#include "places.hpp"
#include "srun_command.hpp"

namespace tofa::spank {

struct Step {
  unsigned ranks = 0;
  std::vector<NodeSlots> nodes;  // in Slurm's order, without nodes that take no rank
  // The number of nodes that must get a rank: srun -N, or what a job with spare nodes is to use.
  std::optional<unsigned> use;
  // What its ranks take from other steps: processors each, or all of the node (0).
  unsigned cpus_per_rank = 0;
  bool overlaps = false;  // it takes nothing from others
};

// The job that an srun outside of an allocation asks Slurm for.
struct Job {
  unsigned ranks = 0;
  slurm::RankNeeds needs;
  std::optional<unsigned> use;    // -N
  std::optional<unsigned> slots;  // of a node, whatever its processors (-O)
  std::string partition;          // empty: Slurm's default
  std::string exclude;
};

// The variable that says of a job with spare nodes how many it wants to use.
inline constexpr const char* kNodesToUse = "SLURM_TOFA_NODES";

enum class Origin {
  command_line,  // srun --tofa: what cannot be combined with it is an error
  inherited,     // sbatch --tofa, salloc --tofa, SLURM_TOFA: srun's command line goes first
};

// The options of this command, if any, that say in another way where ranks go; for a message.
std::string conflict(const SrunCommand& command);

// What this command, or its job, says of places within nodes (-m *:block), which srun forgets where
// it has a hostfile; for a message.
std::string forgotten_distribution(const SrunCommand& command, const Environment& environment);

// Whether it starts the daemons of an MPI launcher, which places the ranks itself.
bool starts_daemons(const SrunCommand& command);

// Whether a step that inherits the request is none that it was meant for: a shell, or a single
// task.
bool is_helper(const SrunCommand& command, const Environment& environment);

// The ranks of -N4 --ntasks-per-node=2, which srun multiplies only where there is no hostfile.
std::optional<unsigned> implied_ranks(const SrunCommand& command, const Environment& environment);

bool inside_allocation(const Environment& environment);

// `claimed` is what launchers of the same job, on this machine, have taken. Throws Error: unmet or
// unavailable when tofa cannot place this step, with the reason.
Step describe_step(const SrunCommand& command, const Environment& environment,
                   const JobState& state = {}, const std::vector<NodeClaim>& claimed = {});

// What the step takes once its ranks are on these nodes.
NodeCounts claim_of(const Step& step, const std::vector<std::string>& mapping);

// The same for a job.
Job describe_job(const SrunCommand& command, const Environment& environment);

// The counts of a list such as "2(x3),1" as Slurm writes them. Throws Error (bad_input).
std::vector<unsigned> expand_counts(std::string_view text);

}  // namespace tofa::spank
