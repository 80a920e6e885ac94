// SPDX-License-Identifier: BSD-3-Clause
// Wishes of ranks to change parts, and what is granted: see sibling_swaps.hpp.
#include "mapping/tools/sibling_swaps.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/lanes.hpp"

namespace tofa {
namespace {

constexpr double kFewSwapped = 1.0 / 512;  // of the ranks: a pass that swaps fewer is the last

using Gain = std::int64_t;

// A rank would gain so much by going to another part.
struct Wish {
  Rank rank;
  std::uint32_t from;
  std::uint32_t to;
  Gain gain;
};

class Swaps {
 public:
  Swaps(const CommGraph& graph, const std::vector<std::uint32_t>& parent,
        std::vector<std::uint32_t>& part)
      : graph_(graph), parent_(parent), part_(part) {}

  // Answers with how many ranks changed places.
  std::size_t pass() {
    std::vector<Wish> wishes = find_wishes();
    // Those between the same two parts together, of either way the most urgent first.
    std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
      const auto key = [](const Wish& wish) {
        return std::tuple(std::min(wish.from, wish.to), std::max(wish.from, wish.to), wish.from,
                          -wish.gain, wish.rank);
      };
      return key(a) < key(b);
    });
    std::size_t swapped = 0;
    for (auto first = wishes.begin(); first != wishes.end();) {
      const auto back = std::find_if(first, wishes.end(), [first](const Wish& wish) {
        return wish.from != first->from || wish.to != first->to;
      });
      const auto last = std::find_if(back, wishes.end(), [first](const Wish& wish) {
        return wish.from != first->to || wish.to != first->from;
      });
      swapped += grant(first, back, last);
      first = last;
    }
    return swapped;
  }

 private:
  using Wishes = std::vector<Wish>::iterator;

  std::vector<Wish> find_wishes() const {
    std::array<std::vector<Wish>, kLanes> found;
    run_lanes([&](unsigned lane) {
      std::vector<Gain> pull(parent_.size());
      std::vector<std::uint32_t> near;
      const auto border = [this](unsigned i) {
        return static_cast<Rank>(std::uint64_t{graph_.ranks()} * i / kLanes);
      };
      for (Rank rank = border(lane); rank < border(lane + 1); ++rank) {
        wish_for(rank, pull, near, found[lane]);
      }
    });
    for (unsigned lane = 1; lane < kLanes; ++lane) {
      found.front().insert(found.front().end(), found[lane].begin(), found[lane].end());
    }
    return std::move(found.front());
  }

  // The part nearby that pulls most; `pull` is 0 before and after.
  void wish_for(Rank rank, std::vector<Gain>& pull, std::vector<std::uint32_t>& near,
                std::vector<Wish>& wishes) const {
    const std::uint32_t own = part_[rank];
    near.clear();
    for (const auto& [partner, bytes, sent] : graph_.partners(rank)) {
      const std::uint32_t there = part_[partner];
      if (parent_[there] != parent_[own]) continue;
      if (std::exchange(pull[there], pull[there] + static_cast<Gain>(bytes)) == 0) {
        near.push_back(there);
      }
    }
    std::uint32_t best = own;
    for (const std::uint32_t there : near) {
      if (there != own && (best == own || pull[there] > pull[best])) best = there;
    }
    if (best != own) wishes.push_back({rank, own, best, pull[best] - pull[own]});
    for (const std::uint32_t there : near) pull[there] = 0;
  }

  // Wishes one way, and from `back` on the other way.
  std::size_t grant(Wishes first, Wishes back, Wishes last) {
    std::size_t swapped = 0;
    Wishes other = back;
    while (first != back && other != last && first->gain + other->gain > 0) {
      // What was granted before may have changed what these would gain.
      const Gain gain = gain_of(*first);
      const Gain other_gain = gain_of(*other);
      if (gain + other_gain - 2 * between(first->rank, other->rank) > 0) {
        part_[first->rank] = first->to;
        part_[other->rank] = other->to;
        swapped += 2;
        ++first;
        ++other;
      } else if (gain - first->gain < other_gain - other->gain) {
        ++first;
      } else {
        ++other;
      }
    }
    return swapped;
  }

  Gain gain_of(const Wish& wish) const {
    Gain gain = 0;
    for (const auto& [partner, bytes, sent] : graph_.partners(wish.rank)) {
      if (part_[partner] == wish.to) gain += static_cast<Gain>(bytes);
      if (part_[partner] == wish.from) gain -= static_cast<Gain>(bytes);
    }
    return gain;
  }

  Gain between(Rank a, Rank b) const {
    const auto partners = graph_.partners(a);
    const auto at = std::partition_point(partners.begin(), partners.end(),
                                         [b](const CommEdge& edge) { return edge.partner < b; });
    return at != partners.end() && at->partner == b ? static_cast<Gain>(at->bytes) : 0;
  }

  const CommGraph& graph_;
  const std::vector<std::uint32_t>& parent_;
  std::vector<std::uint32_t>& part_;
};

}  // namespace

void swap_between_siblings(const CommGraph& graph, const std::vector<std::uint32_t>& parent,
                           int passes, const std::function<bool()>& stop,
                           std::vector<std::uint32_t>& part) {
  Swaps swaps(graph, parent, part);
  for (int pass = 0; pass < passes && !stop(); ++pass) {
    if (static_cast<double>(swaps.pass()) <= kFewSwapped * graph.ranks()) return;
  }
}

}  // namespace tofa
