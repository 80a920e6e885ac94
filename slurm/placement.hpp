// SPDX-License-Identifier: BSD-3-Clause
// Asks `tofa select` where the ranks of a step go. That is a process of its own with a deadline:
// whatever happens to it, srun goes on.
#pragma once

#include <string>
#include <string_view>
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

// What `tofa select` answered.
struct Placed {
  std::vector<std::string> mapping;   // the node of each rank
  std::vector<std::string> warnings;  // what could not be read, and what is assumed instead
  std::vector<std::string> report;    // lines for srun -v
  std::string figures;                // fields of a line of the site's log
};

// The nodes of the ranks, from what `tofa select --format launcher` printed. Throws Error
// (unavailable) unless there is one for every rank.
std::vector<std::string> read_mapping(const std::string& text, unsigned ranks);

// What stands behind `mark` in the lines that begin with it.
std::vector<std::string> read_comments(const std::string& text, std::string_view mark);

// The warnings in what it wrote to standard error; what it calls a default is plugstack.conf's.
std::vector<std::string> read_warnings(const std::string& errors);

// Throws Error (unavailable) unless these are nodes of the step, none with more ranks than slots.
void check_mapping(const std::vector<std::string>& mapping, const Step& step);

// `graph` is the stem of a profile, or a file. Under `settings.strict` a warning is an error.
// Throws Error with the reason.
Placed place_step(const Settings& settings, const std::string& graph, const Step& step);
Placed place_job(const Settings& settings, const std::string& graph, const Job& job);

}  // namespace tofa::spank
