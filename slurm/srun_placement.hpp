// SPDX-License-Identifier: BSD-3-Clause
// How an srun that asks is placed: by what is known of its nodes, beside what else runs there, with
// what is said about it to the user and to the site.
#pragma once

#include <slurm/spank.h>

#include <string>

#include "restart.hpp"

namespace tofa::spank {

// The release of Slurm that this is built for.
inline constexpr Release kRelease =
    100 * SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER) + SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER);

// What is to be answered to srun, which has found the request for placement by `graph`: 0, or -1
// when the step must not start. Does not return where srun has to be started again.
int srun_asks(const std::string& graph);

// In an srun that was started again: it is placed already.
void take_over(const Handover& handover);

// What cannot be done at all is a warning, and an error when strictness was asked for.
int degrade(const std::string& reason);

// The line of the site's log, once; fields of the job are known when it has nodes.
void write_log(spank_t spank);

}  // namespace tofa::spank
