// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job sent to processes of other jobs, which they spawned, were spawned by, or
// connected to: the file NAME.other-jobs.txt of a profile. In a graph, which is of one job, it has
// no place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/types.hpp"

namespace tofa {

struct OtherJobTraffic {
  Rank rank = 0;           // of this job
  std::string job;         // the other one's PMIx namespace
  std::uint32_t peer = 0;  // rank there
  std::string traffic_class;
  std::uint64_t messages = 0, bytes = 0;

  bool operator==(const OtherJobTraffic&) const = default;
};

// What MPI_Get and the like brought here: it was not sent by this job.
inline constexpr std::string_view kFetchedClass = "fetched";

// Throws Error when this is no such file.
std::vector<OtherJobTraffic> parse_other_jobs(std::string_view text, const std::string& name);

// The file, with this JSON in its head.
std::string format_other_jobs(const std::vector<OtherJobTraffic>& rows,
                              const std::string& metadata);

// What went to, or came from, one job.
struct OtherJobSum {
  std::string job;
  bool fetched = false;
  std::size_t ranks = 0, peers = 0;  // of this job, and of the other one
  std::uint64_t messages = 0, bytes = 0;
};

// By job, in the order of their names; what was fetched from a job follows what was sent to it.
std::vector<OtherJobSum> sum_other_jobs(const std::vector<OtherJobTraffic>& rows);

}  // namespace tofa
