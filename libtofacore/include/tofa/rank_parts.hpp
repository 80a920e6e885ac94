// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job that died had counted in parts: by phases, and by sizes of messages. With
// either, each rank has a second file, STEM.counts/RANK.parts, as pml-monitor/parts.h describes it.
#pragma once

#include "tofa/message_sizes.hpp"
#include "tofa/rank_counts.hpp"

namespace tofa {

inline constexpr std::uint32_t kMostPhases = 99;

struct PartCounts {
  std::uint32_t part;  // up to 99 a phase, 0 being none; from 100 on a bin of sizes
  PartnerCounts counts;
};

struct RankParts {
  Rank rank = 0;
  Rank ranks = 0;
  std::uint32_t phase = 0;  // the one that was on
  bool cut = false;         // the disk was full, and some parts are not in the file
  // By part, then partner. Phases are without what was sent since `phase` began.
  std::vector<PartCounts> parts;
};

// Throws Error when the bytes are no such file.
RankParts parse_rank_parts(std::string_view bytes, const std::string& name);

// Every such file in the folder STEM.counts, by rank; often there is none. Throws Error when the
// folder cannot be read, a file is damaged, or two are of one rank. Of ranks that run, to be read
// before their counts.
std::vector<RankParts> read_rank_parts(const std::string& stem);

// With what was sent in the phase that was on: whatever `counts` has and no phase; where parts are
// cut, that cannot be told. Parts of ranks that have no counts are left out. Throws Error when they
// are of different jobs.
std::vector<RankParts> complete_parts(const std::vector<RankCounts>& counts,
                                      std::vector<RankParts> parts);

// The phases that any rank has sent something in, ascending, without 0.
std::vector<std::uint32_t> phases_of(const std::vector<RankParts>& parts);

// What the ranks that have parts sent in this phase.
std::vector<RankCounts> phase_counts(const std::vector<RankCounts>& counts,
                                     const std::vector<RankParts>& parts, std::uint32_t phase);

// Without entries where sizes were not asked for.
MessageSizes recover_sizes(const std::vector<RankCounts>& counts,
                           const std::vector<RankParts>& parts);

}  // namespace tofa
