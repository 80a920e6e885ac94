// SPDX-License-Identifier: BSD-3-Clause
// How long the ranks of a profiled run ran, and how much of it in MPI: members of NAME.ranks.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tofa/types.hpp"

namespace tofa {

// Parts of each rank's run time that were spent in MPI, from 0 to 1; beyond where several threads
// were there at a time.
struct MpiShares {
  double least = 0, most = 0, mean = 0;
  Rank of_least = 0, of_most = 0;
};

// Nothing where the run was not timed. Throws Error when this is no such file.
std::optional<MpiShares> parse_mpi_shares(std::string_view text, const std::string& name);

}  // namespace tofa
