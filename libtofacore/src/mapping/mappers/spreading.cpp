// SPDX-License-Identifier: BSD-3-Clause
// Boxes of a grid, and ranks that are drawn together and spread: see spreading.hpp.
#include "mapping/mappers/spreading.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mapping/tools/lanes.hpp"

namespace tofa {

GridBoxes::GridBoxes(const Topology& topology, const SeatPlan& plan)
    : grid_(*topology.grid()), plan_(plan), entries_(plan.entries()) {
  for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
    length_[d] = static_cast<float>(grid_.extent(d));
    half_[d] = grid_.wraps(d) ? length_[d] / 2 : length_[d];
  }
  at_.reserve(plan.entries() * grid_.dimensions());
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
    for (const unsigned x : topology.coordinates(plan.node(entry))) {
      at_.push_back(static_cast<float>(x));
    }
  }
  std::iota(entries_.begin(), entries_.end(), 0U);
  boxes_.reserve(2 * plan.entries());
  build(0, entries_.size());
}

GridBoxes::Point GridBoxes::at(std::uint32_t entry) const {
  Point point{};
  for (std::size_t d = 0; d < grid_.dimensions(); ++d) point[d] = coordinate(entry, d);
  return point;
}

std::uint32_t GridBoxes::build(std::size_t first, std::size_t last) {
  const auto index = static_cast<std::uint32_t>(boxes_.size());
  boxes_.emplace_back();
  Box box;
  for (std::size_t i = first; i < last; ++i) box.seats += plan_.seats_of(entries_[i]);
  for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
    float sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += coordinate(entries_[i], d);
    box.middle[d] = sum / static_cast<float>(last - first);
  }
  box.entry = nearest_to_middle(first, last, box.middle);
  if (last - first > 1) {
    const std::size_t border = cut(first, last, box);
    box.low = build(first, border);
    box.high = build(border, last);
    box.low_middle = boxes_[box.low].middle[box.dimension];
    box.high_middle = boxes_[box.high].middle[box.dimension];
  }
  boxes_[index] = box;
  return index;
}

std::uint32_t GridBoxes::nearest_to_middle(std::size_t first, std::size_t last,
                                           const Point& middle) const {
  std::uint32_t nearest = entries_[first];
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t i = first; i < last; ++i) {
    float apart = 0;
    for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
      apart += std::fabs(coordinate(entries_[i], d) - middle[d]);
    }
    if (apart < least) {
      least = apart;
      nearest = entries_[i];
    }
  }
  return nearest;
}

// Between two planes across the longest side, as near to half of the entries as possible; answers
// where the upper half begins.
std::size_t GridBoxes::cut(std::size_t first, std::size_t last, Box& box) {
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(last);
  float longest = -1;
  for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
    const auto [low, high] = std::minmax_element(
        begin, end, [&](auto a, auto b) { return coordinate(a, d) < coordinate(b, d); });
    const float side = coordinate(*high, d) - coordinate(*low, d);
    if (side > longest) {
      longest = side;
      box.dimension = d;
    }
  }
  const std::size_t d = box.dimension;
  std::stable_sort(begin, end, [&](auto a, auto b) { return coordinate(a, d) < coordinate(b, d); });
  const auto same = [&](std::size_t i) {
    return coordinate(entries_[i - 1], d) == coordinate(entries_[i], d);
  };
  const std::size_t half = first + (last - first) / 2;
  if (longest <= 0) {  // virtual hosts are where their host is
    box.border = coordinate(entries_[first], d);
    return half;
  }
  std::size_t below = half;
  std::size_t above = half;
  while (below > first && same(below)) --below;
  while (above < last && same(above)) ++above;
  const bool take_below = above == last || (below != first && half - below <= above - half);
  const std::size_t border = take_below ? below : above;
  box.border = (coordinate(entries_[border - 1], d) + coordinate(entries_[border], d)) / 2;
  box.whole_ring = grid_.wraps(d) && longest + 1 >= length_[d];
  return border;
}

Spreading::Spreading(const CommGraph& graph, const GridBoxes& boxes)
    : graph_(graph),
      boxes_(boxes),
      dimensions_(boxes.grid().dimensions()),
      at_(graph.ranks() * dimensions_),
      held_(at_.size()),
      key_(graph.ranks()),
      entry_(graph.ranks()),
      ranks_(graph.ranks()) {
  std::iota(ranks_.begin(), ranks_.end(), Rank{0});
}

void Spreading::put(Rank rank, const GridBoxes::Point& point) {
  for (std::size_t d = 0; d < dimensions_; ++d) {
    at_[rank * dimensions_ + d] = held_[rank * dimensions_ + d] = point[d];
  }
}

// Each lane moves its own half of the ranks, and sees the others where they were before the sweep,
// so that it makes no difference which lane is ahead.
void Spreading::relax(float hold, int sweeps) {
  const Rank ranks = graph_.ranks();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    before_ = at_;
    run_lanes([&](unsigned lane) {
      const auto border = [ranks](unsigned part) {
        return static_cast<Rank>(std::uint64_t{ranks} * part / kLanes);
      };
      relax_some(border(lane), border(lane + 1), sweep % 2 == 1, hold);
    });
  }
}

void Spreading::relax_some(Rank first, Rank last, bool backwards, float hold) {
  for (Rank i = 0; i < last - first; ++i) {
    relax_one(backwards ? last - 1 - i : first + i, first, last, hold);
  }
}

void Spreading::relax_one(Rank rank, Rank first, Rank last, float hold) {
  const auto partners = graph_.partners(rank);
  if (partners.empty()) return;
  float* mine = &at_[rank * dimensions_];
  GridBoxes::Point sum{};
  float weights = 0;
  for (const auto& [partner, bytes, sent] : partners) {
    const bool own = partner >= first && partner < last;
    const float* other = (own ? at_ : before_).data() + partner * dimensions_;
    const auto weight = static_cast<float>(bytes);
    for (std::size_t d = 0; d < dimensions_; ++d) {
      sum[d] += weight * boxes_.way(d, mine[d], other[d]);
    }
    weights += weight;
  }
  const float* held = &held_[rank * dimensions_];
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const float back = hold * boxes_.way(d, mine[d], held[d]);
    mine[d] = boxes_.wrapped(d, mine[d] + (sum[d] / weights + back) / (1 + hold));
  }
}

void Spreading::spread() {
  distribute(boxes_.root(), 0, static_cast<std::uint32_t>(ranks_.size()), 0);
}

void Spreading::distribute(const GridBoxes::Box& box, std::uint32_t first, std::uint32_t last,
                           unsigned depth) {
  if (first == last) return;
  if (box.low == GridBoxes::kLeaf) {
    settle(box.entry, first, last);
    return;
  }
  const std::uint32_t border = divide(box, first, last);
  if (depth > 0) {
    distribute(boxes_[box.low], first, border, depth + 1);
    distribute(boxes_[box.high], border, last, depth + 1);
    return;
  }
  run_lanes([&](unsigned lane) {
    for (unsigned half = lane; half < 2; half += kLanes) {
      distribute(boxes_[half == 0 ? box.low : box.high], half == 0 ? first : border,
                 half == 0 ? border : last, depth + 1);
    }
  });
}

// Orders ranks so that those for the lower half come first: as many as belong there, or as there
// are seats for.
std::uint32_t Spreading::divide(const GridBoxes::Box& box, std::uint32_t first,
                                std::uint32_t last) {
  const std::size_t d = box.dimension;
  const float middle = box.middle[d];
  const float border = boxes_.way(d, middle, box.border);
  std::uint32_t below = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const float at = at_[ranks_[i] * dimensions_ + d];
    // Round a whole ring the halves have two borders.
    key_[ranks_[i]] = box.whole_ring ? std::fabs(boxes_.way(d, at, box.low_middle)) -
                                           std::fabs(boxes_.way(d, at, box.high_middle))
                                     : boxes_.way(d, middle, at) - border;
    below += key_[ranks_[i]] < 0 ? 1 : 0;
  }
  const std::uint32_t ranks = last - first;
  const std::uint32_t room_low = boxes_[box.low].seats;
  const std::uint32_t room_high = boxes_[box.high].seats;
  below = std::clamp(below, ranks > room_high ? ranks - room_high : 0, std::min(ranks, room_low));
  const auto begin = ranks_.begin() + first;
  if (below > 0 && below < ranks) {
    std::nth_element(begin, begin + below, ranks_.begin() + last, [this](Rank a, Rank b) {
      return key_[a] != key_[b] ? key_[a] < key_[b] : a < b;
    });
  }
  return first + below;
}

void Spreading::settle(std::uint32_t entry, std::uint32_t first, std::uint32_t last) {
  const GridBoxes::Point point = boxes_.at(entry);
  for (std::uint32_t i = first; i < last; ++i) {
    entry_[ranks_[i]] = entry;
    std::copy_n(point.begin(), dimensions_, &held_[ranks_[i] * dimensions_]);
  }
}

}  // namespace tofa
