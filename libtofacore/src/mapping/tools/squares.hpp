// SPDX-License-Identifier: BSD-3-Clause
// Squares of pairs, which tell what lies opposite to what in a grid, and sets of pairs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "mapping/tools/heavy_pairs.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa {

using Pair = std::uint32_t;  // by number
inline constexpr Pair kNoPair = std::numeric_limits<Pair>::max();

// The pairs of a graph, numbered, rank by rank.
class NumberedPairs {
 public:
  explicit NumberedPairs(const HeavyPairs& graph) {
    first_.reserve(std::size_t{graph.ranks()} + 1);
    first_.push_back(0);
    for (Rank rank = 0; rank < graph.ranks(); ++rank) {
      for (const auto edge : graph.partners(rank)) partner_.push_back(edge.partner);
      first_.push_back(static_cast<std::uint32_t>(partner_.size()));
    }
    pair_.resize(partner_.size());
    // Ranks are ascending, and so are the partners of each.
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (Rank rank = 0; rank < graph.ranks(); ++rank) {
      for (std::uint32_t i = next[rank]; i < first_[rank + 1]; ++i) {
        pair_[next[partner_[i]]++] = pair_[i] = pairs_++;
      }
    }
  }

  Rank ranks() const { return static_cast<Rank>(first_.size() - 1); }
  Pair pairs() const { return pairs_; }
  unsigned degree(Rank rank) const { return first_[rank + 1] - first_[rank]; }
  // Of a rank's partners, the number of the first who is not below `least`.
  unsigned first_from(Rank rank, Rank least) const {
    const Rank* const begin = partner_.data() + first_[rank];
    const Rank* at = begin;
    while (at != partner_.data() + first_[rank + 1] && *at < least) ++at;
    return static_cast<unsigned>(at - begin);
  }
  Rank partner(Rank rank, unsigned i) const { return partner_[first_[rank] + i]; }
  Pair pair(Rank rank, unsigned i) const { return pair_[first_[rank] + i]; }

 private:
  std::vector<std::uint32_t> first_;  // by rank
  std::vector<Rank> partner_;
  std::vector<Pair> pair_;
  Pair pairs_ = 0;
};

// Sets of pairs (Tarjan).
class PairClasses {
 public:
  explicit PairClasses(Pair pairs) : parent_(pairs) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  Pair find(Pair pair) {
    while (parent_[pair] != pair) pair = parent_[pair] = parent_[parent_[pair]];
    return pair;
  }
  void join(Pair a, Pair b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<Pair> parent_;
};

// A square from one of its corners: over its partners number a and b to the far one.
struct Square {
  unsigned a;
  unsigned b;
  Pair beyond_a;  // from a to the far corner
  Pair beyond_b;
};

// The squares around a rank.
class Surroundings {
 public:
  explicit Surroundings(const NumberedPairs& pairs)
      : pairs_(pairs), reached_(pairs.ranks()), beside_(pairs.ranks()) {}

  // By way of partners from `least` on, and of those to whom that leads. False where that is no
  // part of a grid: partners are partners of each other, or somebody is reached in three ways.
  bool look(Rank rank, Rank least) {
    squares_.clear();
    ++looks_;
    const unsigned degree = pairs_.degree(rank);
    const unsigned first = pairs_.first_from(rank, least);
    for (unsigned a = first; a < degree; ++a) beside_[pairs_.partner(rank, a)] = looks_;
    for (unsigned a = first; a < degree; ++a) {
      const Rank partner = pairs_.partner(rank, a);
      for (unsigned i = pairs_.first_from(partner, least); i < pairs_.degree(partner); ++i) {
        const Rank far = pairs_.partner(partner, i);
        if (far == rank) continue;
        if (beside_[far] == looks_ || !reach(a, far, pairs_.pair(partner, i))) return false;
      }
    }
    return true;
  }

  const std::vector<Square>& squares() const { return squares_; }

 private:
  struct Reached {
    std::uint64_t in_look = 0;
    std::uint32_t over = kNoPair;  // unless in two ways
    Pair pair = kNoPair;
  };

  bool reach(unsigned a, Rank far, Pair pair) {
    Reached& reached = reached_[far];
    if (reached.in_look != looks_) {
      reached = {looks_, a, pair};
      return true;
    }
    if (reached.over == kNoPair) return false;
    const unsigned b = reached.over;
    squares_.push_back({a, b, pair, reached.pair});
    reached.over = kNoPair;
    return true;
  }

  const NumberedPairs& pairs_;
  std::uint64_t looks_ = 0;
  std::vector<Reached> reached_;       // by rank
  std::vector<std::uint64_t> beside_;  // by rank: the last look in which it was a partner
  std::vector<Square> squares_;
};

}  // namespace tofa
