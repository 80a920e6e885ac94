// SPDX-License-Identifier: BSD-3-Clause
// What every rank of a step needs, and what decides how ranks are spread: srun's options about
// processors, cores, memory and GPUs, and those of the job, which srun inherits.
#pragma once

#include "capacity.hpp"
#include "request_value.hpp"
#include "srun_command.hpp"

namespace tofa::spank {

struct StepNeeds {
  slurm::RankNeeds rank = {};
  // Processors per rank were asked for of the job only: counted as long as all ranks find a place.
  bool cpus_inherited = false;
  // --gpus: so many in all, of which each node that is used gives a part; empty: not asked for.
  slurm::GresCounts gpus_in_all = {};
  // GPUs that are each one rank's, or those of a fixed number of ranks. Without, ranks share the
  // GPUs of their node, so that more ranks on fewer nodes would have less.
  bool gpus_by_rank() const { return !rank.gres.empty() || rank.ranks_per_gpu > 0; }
};

// Throws Error (unmet) when it is not known how Slurm counts something that was asked for, and
// (unavailable) for values that are not understood.
StepNeeds needs_of(const SrunCommand& command, const Environment& environment);

}  // namespace tofa::spank
