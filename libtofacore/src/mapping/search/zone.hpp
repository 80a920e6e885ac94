// SPDX-License-Identifier: BSD-3-Clause
// What an annealer may move: all ranks that talk or some of them, to all entries or those of a
// zone.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/search/search_space.hpp"

namespace tofa {

// Where a move may lead: to places that are likely to be better, or to any.
enum class Reach : std::uint8_t { near, anywhere };

struct Zone {
  std::vector<Rank> ranks;                              // all that talk, if none and no zone
  const std::vector<std::uint8_t>* of_entry = nullptr;  // null: ranks may go anywhere
  std::uint8_t mine = 0;
  Rank end = kNoRank;  // ranks from here on stay, whichever entry they are at

  bool stays(Rank rank) const { return rank != kNoRank && rank >= end; }
  bool everywhere() const { return of_entry == nullptr; }
  bool everything() const { return everywhere() && ranks.empty(); }
  const std::vector<Rank>& that_move(const SearchSpace& space) const {
    return everything() ? space.active_ranks() : ranks;
  }
  // Those that move and those whose place they might take.
  const std::vector<Rank>& looked_at(const SearchSpace& space) const {
    return end == kNoRank && !everywhere() ? ranks : space.active_ranks();
  }
  bool contains(std::uint32_t entry) const { return everywhere() || (*of_entry)[entry] == mine; }
  SearchSpace::Draw draw(const SearchSpace& space, const Seating& seating,
                         RandomSource& random) const {
    if (everything()) return space.draw(seating, random);
    const Rank rank = ranks[random.below(static_cast<std::uint32_t>(ranks.size()))];
    return {rank, space.draw_target(rank, seating, random)};
  }
};

}  // namespace tofa
