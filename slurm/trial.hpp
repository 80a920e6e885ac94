// SPDX-License-Identifier: BSD-3-Clause
// A job that names its nodes waits until all of them are free, and is refused when it can never
// have them. So before a job of srun's own gets nodes that tofa chose, Slurm is asked whether it
// would start there now: by the same srun with the same options and --test-only. That way every
// option counts that decides about nodes, such as --mem, --constraint, --reservation or
// --exclusive, whether it is known here or not.
#pragma once

#include <string>

#include "srun_command.hpp"

namespace tofa::spank {

// Set for the srun that only tries: the plugin keeps out of it.
inline constexpr const char* kTrialVariable = "TOFA_SLURM_TRIAL";

// What `srun --test-only` printed says that the job starts within seconds after `now`. Throws Error
// (unavailable) with what it says instead.
void require_start(const std::string& output, int status, double now);

// `hostfile` names the node of every rank. Throws Error (unavailable) unless Slurm would start this
// job there at once. --tofa stays on the command line: the plugin keeps out of it.
void require_start_now(const SrunCommand& command, const std::string& hostfile);

}  // namespace tofa::spank
