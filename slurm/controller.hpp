// SPDX-License-Identifier: BSD-3-Clause
// What Slurm's controller says of a job, asked through the library of the srun that has loaded the
// plugin: a few milliseconds, where starting a command would take most of the time of a placement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "places.hpp"

namespace tofa::spank {

// What the job has on its nodes, and the steps that run there now; one that is just ending is
// waited for, half a second at most, so that steps one after another find the same nodes. Where the
// controller does not answer, srun will say so; here it means that nothing is known.
JobState ask_controller(std::uint32_t job);

// The most threads that a core of these nodes has, as far as they count as processors; 1 where that
// is not known.
unsigned threads_per_core(const std::vector<std::string>& nodes);

}  // namespace tofa::spank
