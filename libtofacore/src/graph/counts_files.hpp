// SPDX-License-Identifier: BSD-3-Clause
// What the files in STEM.counts have in common, be it a rank's counts or their parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/rank_counts.hpp"

namespace tofa {

inline constexpr std::size_t kCountsPhaseAt = 196;  // in the head of parts: the phase that is on

// Files whose name is a number before this suffix. Throws Error when the folder cannot be read.
std::vector<std::string> list_counts_files(const std::string& stem, std::string_view suffix);

// Throws Error when the bytes are no file of this magic. Partners have numbers below `parts` times
// the number of ranks.
RankCounts parse_counts_file(std::string_view bytes, const std::string& name,
                             std::string_view magic, std::uint32_t parts);

// Throws Error where the ranks, in ascending order, are not different ones of one job.
void require_one_job(const std::vector<RankCounts>& counts, const std::string& stem);

// The metadata of a result: what `phase` of the traffic it holds, as what quantity.
std::string counts_metadata(const std::vector<RankCounts>& counts, const std::string& phase,
                            std::string_view quantity);

}  // namespace tofa
