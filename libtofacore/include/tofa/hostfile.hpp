// SPDX-License-Identifier: BSD-3-Clause
// A mapping as lines, of which line i names the node of rank i: what SLURM_HOSTFILE wants.
#pragma once

#include <string>
#include <vector>

namespace tofa {

std::string format_hostfile(const std::vector<std::string>& host_of_rank);

}  // namespace tofa
