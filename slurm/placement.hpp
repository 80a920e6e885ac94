// SPDX-License-Identifier: BSD-3-Clause
// Asks `tofa select` where the ranks of a step go. That is a process of its own with a deadline:
// whatever happens to it, srun goes on.
#pragma once

#include <string>
#include <vector>

#include "settings.hpp"
#include "step.hpp"

namespace tofa::spank {

// Arguments of `tofa`, `select` included: for a step on nodes that are known, and for a job, whose
// nodes are chosen among those that Slurm says are idle.
std::vector<std::string> select_arguments(const Settings& settings, const std::string& graph,
                                          const Step& step);
std::vector<std::string> select_arguments(const Settings& settings, const std::string& graph,
                                          const Job& job);

// The nodes of the ranks, from what `tofa select` printed. Throws Error (unavailable) unless there
// is one for every rank.
std::vector<std::string> read_mapping(const std::string& text, unsigned ranks);

// Throws Error (unavailable) unless these are nodes of the step, none with more ranks than slots.
void check_mapping(const std::vector<std::string>& mapping, const Step& step);

// The node of each rank. `graph` is the stem of a profile, or a file. Throws Error with the reason.
std::vector<std::string> place_step(const Settings& settings, const std::string& graph,
                                    const Step& step);
std::vector<std::string> place_job(const Settings& settings, const std::string& graph,
                                   const Job& job);

}  // namespace tofa::spank
