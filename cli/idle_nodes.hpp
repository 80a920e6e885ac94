// SPDX-License-Identifier: BSD-3-Clause
// What Slurm says about nodes, asked with its own command, so that tofa runs where Slurm is not.
#pragma once

#include <string>
#include <vector>

namespace tofa::cli {

// Names of the idle nodes, of all partitions or of one. Throws Error when sinfo is missing, fails
// or does not answer in time.
std::vector<std::string> find_idle_nodes(const std::string& partition);

}  // namespace tofa::cli
