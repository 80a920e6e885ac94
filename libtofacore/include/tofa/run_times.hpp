// SPDX-License-Identifier: BSD-3-Clause
// What NAME.ranks.json tells of a profiled run beside where its ranks were: its command, how long
// the ranks ran, and how much of it in MPI.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/types.hpp"

namespace tofa {

// What is not told is empty; lists are by rank, and 0 for ranks of which nothing has come.
struct RunFacts {
  std::string command, date, open_mpi;
  std::vector<double> run_seconds, mpi_seconds;
  std::vector<double> mpi_calls;
};

// Throws Error when this is no such file.
RunFacts parse_run_facts(std::string_view text, const std::string& name);

// Parts of each rank's run time that were spent in MPI, from 0 to 1; beyond where several threads
// were there at a time.
struct MpiShares {
  double least = 0, most = 0, mean = 0;
  Rank of_least = 0, of_most = 0;
};

// Nothing where the run was not timed.
std::optional<MpiShares> mpi_shares(const RunFacts& run);

// Of the file's text. Throws Error when this is no such file.
std::optional<MpiShares> parse_mpi_shares(std::string_view text, const std::string& name);

}  // namespace tofa
