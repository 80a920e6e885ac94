// SPDX-License-Identifier: BSD-3-Clause
// Reads the monitor's parts. A partner's number is that of its part times the number of ranks, plus
// its rank. What was sent in the phase that was on is what is left of a rank's counts.
#include "tofa/rank_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "graph/counts_files.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"

namespace tofa {
namespace {

constexpr std::uint32_t kFirstBin = 100, kBins = 65, kParts = kFirstBin + kBins;
static_assert(static_cast<std::uint64_t>(kParts) * kMaxRanks <= UINT32_MAX);

bool by_part(const PartCounts& a, const PartCounts& b) {
  return a.part != b.part ? a.part < b.part : a.counts.partner < b.counts.partner;
}

// Both are of one partner. Where a file is damaged there may be less than nothing left.
void take_away(PartnerCounts& from, const PartnerCounts& what) {
  for (std::size_t kind = 0; kind < kTrafficKinds; ++kind) {
    from.bytes[kind] -= std::min(from.bytes[kind], what.bytes[kind]);
    from.messages[kind] -= std::min(from.messages[kind], what.messages[kind]);
  }
}

bool is_empty(const PartnerCounts& counts) {
  const auto zero = [](std::uint64_t value) { return value == 0; };
  return std::all_of(counts.messages.begin(), counts.messages.end(), zero);
}

void add_running_phase(RankParts& parts, const RankCounts& counts) {
  std::vector<PartnerCounts> left = counts.partners;
  for (const PartCounts& part : parts.parts) {
    if (part.part > kMostPhases) continue;
    const auto found =
        std::lower_bound(left.begin(), left.end(), part.counts.partner,
                         [](const PartnerCounts& one, Rank rank) { return one.partner < rank; });
    if (found != left.end() && found->partner == part.counts.partner) {
      take_away(*found, part.counts);
    }
  }
  for (const PartnerCounts& partner : left) {
    if (!is_empty(partner)) parts.parts.push_back({parts.phase, partner});
  }
  std::sort(parts.parts.begin(), parts.parts.end(), by_part);
}

Bytes bin_start(std::uint32_t bin) {
  return bin == 0 ? 0 : Bytes{1} << (bin - 1);
}

void add_sizes(MessageSizes& sizes, Rank rank, const PartCounts& part) {
  const Bytes least = bin_start(part.part - kFirstBin);
  const auto& messages = part.counts.messages;
  const std::uint64_t fetched = messages[kTrafficKinds - 1];
  for (std::size_t kind = 0; kind + 1 < kTrafficKinds; ++kind) {
    if (messages[kind] == 0) continue;
    sizes.counts.push_back({rank, part.counts.partner, least, messages[kind]});
  }
  if (fetched > 0) sizes.counts.push_back({part.counts.partner, rank, least, fetched});
}

}  // namespace

RankParts parse_rank_parts(std::string_view bytes, const std::string& name) {
  const RankCounts counts = parse_counts_file(bytes, name, "tofaprt1", kParts);
  RankParts result{counts.rank, counts.ranks, 0, counts.cut, {}};
  std::memcpy(&result.phase, bytes.data() + kCountsPhaseAt, sizeof result.phase);
  if (result.phase > kMostPhases) {
    throw Error(
        ErrorKind::bad_input, name, 0,
        fmt::format("says that phase {} was on; there are at most {}", result.phase, kMostPhases));
  }
  for (PartnerCounts partner : counts.partners) {
    const std::uint32_t part = partner.partner / counts.ranks;
    partner.partner %= counts.ranks;
    result.parts.push_back({part, partner});
  }
  return result;
}

std::vector<RankParts> read_rank_parts(const std::string& stem) {
  std::vector<RankParts> parts;
  for (const std::string& path : list_counts_files(stem, ".parts")) {
    parts.push_back(parse_rank_parts(read_file(path), path));
  }
  std::sort(parts.begin(), parts.end(),
            [](const RankParts& a, const RankParts& b) { return a.rank < b.rank; });
  const auto twice =
      std::adjacent_find(parts.begin(), parts.end(),
                         [](const RankParts& a, const RankParts& b) { return a.rank == b.rank; });
  if (twice != parts.end()) {
    throw Error(ErrorKind::bad_input, stem + ".counts", 0,
                fmt::format("two files are of the parts of rank {}", twice->rank));
  }
  return parts;
}

std::vector<RankParts> complete_parts(const std::vector<RankCounts>& counts,
                                      std::vector<RankParts> parts) {
  std::vector<RankParts> complete;
  auto own = counts.begin();
  for (RankParts& one : parts) {
    own =
        std::find_if(own, counts.end(), [&](const auto& other) { return other.rank >= one.rank; });
    if (own == counts.end()) break;
    if (own->rank != one.rank) continue;
    if (own->ranks != one.ranks) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("the counts of rank {} belong to a job of {} ranks, their parts to "
                              "one of {}",
                              one.rank, own->ranks, one.ranks));
    }
    if (!one.cut) add_running_phase(one, *own);
    complete.push_back(std::move(one));
  }
  return complete;
}

std::vector<std::uint32_t> phases_of(const std::vector<RankParts>& parts) {
  std::set<std::uint32_t> phases;
  for (const RankParts& one : parts) {
    for (const PartCounts& part : one.parts) {
      if (part.part > 0 && part.part <= kMostPhases) phases.insert(part.part);
    }
  }
  return {phases.begin(), phases.end()};
}

std::vector<RankCounts> phase_counts(const std::vector<RankCounts>& counts,
                                     const std::vector<RankParts>& parts, std::uint32_t phase) {
  std::vector<RankCounts> result;
  auto own = parts.begin();
  for (const RankCounts& one : counts) {
    while (own != parts.end() && own->rank < one.rank) ++own;
    if (own == parts.end() || own->rank != one.rank) continue;
    RankCounts of_phase = one;
    of_phase.phase = phase;
    of_phase.partners.clear();
    of_phase.estimated.clear();  // not told apart by phase
    of_phase.declared.clear();
    for (const PartCounts& part : own->parts) {
      if (part.part == phase) of_phase.partners.push_back(part.counts);
    }
    result.push_back(std::move(of_phase));
  }
  return result;
}

MessageSizes recover_sizes(const std::vector<RankCounts>& counts,
                           const std::vector<RankParts>& parts) {
  MessageSizes sizes;
  if (counts.empty()) throw Error(ErrorKind::bad_input, "no counts of any rank");
  sizes.ranks = counts.front().ranks;
  for (const RankParts& one : parts) {
    for (const PartCounts& part : one.parts) {
      if (part.part >= kFirstBin) add_sizes(sizes, one.rank, part);
    }
  }
  sizes.normalise();
  sizes.metadata = counts_metadata(counts, "all", "sizes");
  return sizes;
}

}  // namespace tofa
