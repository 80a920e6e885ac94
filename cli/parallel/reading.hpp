// SPDX-License-Identifier: BSD-3-Clause
// From files to rows: each process reads a part of each file and sends what it reads to those whose
// ranks it is about.
#pragma once

#include <string>
#include <vector>

#include "processes.hpp"

namespace tofa::cli {

// The files that a name stands for: itself, NAME.bytes.mtx, or NAME.part-0.mtx and those that
// follow. Throws Error (bad_input) when there is none.
std::vector<std::string> files_of_graph(const std::string& name);

struct DistributedRows {
  Rank ranks = 0;  // in all
  RankRows rows;   // of the even share of this process
};
DistributedRows read_files(Processes& processes, const std::vector<std::string>& files);
DistributedRows generate(Processes& processes, const std::string& what, std::uint64_t seed);

}  // namespace tofa::cli
