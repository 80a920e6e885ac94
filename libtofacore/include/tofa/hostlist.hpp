// SPDX-License-Identifier: BSD-3-Clause
// Slurm host lists: "n[000-511],gpu[1-3,7],login" stands for the hosts it expands to, in order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tofa {

// Throws Error (bad_input) on malformed text or when the list would exceed `limit` hosts.
std::vector<std::string> expand_hostlist(std::string_view text, std::size_t limit = 4'000'000);

// A short list that expands to the same hosts in the same order.
std::string compress_hostlist(const std::vector<std::string>& hosts);

// The same for Slurm's own programs, which take brackets at the end of a name only, or before
// others there: hosts with a domain are listed one by one.
std::string slurm_hostlist(const std::vector<std::string>& hosts);

}  // namespace tofa
