// SPDX-License-Identifier: BSD-3-Clause
// Boxes of a grid, and ranks that are drawn together and spread: see spreading.hpp.
#include "mapping/mappers/spreading.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/lanes.hpp"
#include "base/large_pages.hpp"
#include "mapping/tools/vectors.hpp"

namespace tofa {

GridBoxes::GridBoxes(const Topology& topology, const SeatPlan& plan) : grid_(*topology.grid()) {
  measure_sides();
  at_.reserve(plan.entries() * grid_.dimensions());
  seats_.reserve(plan.entries());
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
    for (const unsigned x : topology.coordinates(plan.node(entry))) {
      at_.push_back(static_cast<float>(x));
    }
    seats_.push_back(plan.seats_of(entry));
  }
  build_all();
}

GridBoxes::GridBoxes(const Grid& grid, std::vector<std::uint32_t>&& seats)
    : grid_(grid), seats_(std::move(seats)) {
  measure_sides();
  at_.reserve(seats_.size() * grid_.dimensions());
  for (std::uint32_t position = 0; position < seats_.size(); ++position) {
    for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
      at_.push_back(static_cast<float>(grid_.coordinate(position, d)));
    }
  }
  build_all();
}

void GridBoxes::measure_sides() {
  for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
    length_[d] = static_cast<float>(grid_.extent(d));
    half_[d] = grid_.wraps(d) ? length_[d] / 2 : length_[d];
  }
}

void GridBoxes::build_all() {
  std::vector<std::uint32_t> places;
  places.reserve(seats_.size());
  for (std::uint32_t place = 0; place < seats_.size(); ++place) {
    if (seats_[place] > 0) places.push_back(place);
  }
  boxes_.reserve(places.size());
  whole_ = build(places).half;
}

GridBoxes::Point GridBoxes::at(std::uint32_t place) const {
  Point point{};
  for (std::size_t d = 0; d < grid_.dimensions(); ++d) point[d] = coordinate(place, d);
  return point;
}

GridBoxes::Built GridBoxes::build(Places places) {
  Built built;
  for (const std::uint32_t place : places) {
    built.seats += seats_[place];
    for (std::size_t d = 0; d < grid_.dimensions(); ++d) built.middle[d] += coordinate(place, d);
  }
  for (float& middle : built.middle) middle /= static_cast<float>(places.size());
  if (places.size() == 1) {
    built.half = {places.front(), true};
    return built;
  }
  built.half = {static_cast<std::uint32_t>(boxes_.size()), false};
  boxes_.emplace_back();
  Box box;
  const std::size_t border = cut(places, box);
  const Built low = build(places.first(border));
  const Built high = build(places.subspan(border));
  box.low = low.half;
  box.high = high.half;
  box.seats_low = low.seats;
  box.seats_high = high.seats;
  box.middle = built.middle[box.dimension];
  box.low_middle = low.middle[box.dimension];
  box.high_middle = high.middle[box.dimension];
  boxes_[built.half.index] = box;
  return built;
}

// Between two planes across the longest side, as near to half of the places as possible; answers
// where the upper half begins.
std::size_t GridBoxes::cut(Places places, Box& box) const {
  float longest = -1;
  std::size_t d = 0;
  for (std::size_t i = 0; i < grid_.dimensions(); ++i) {
    const auto [low, high] = std::minmax_element(
        places.begin(), places.end(),
        [this, i](auto a, auto b) { return coordinate(a, i) < coordinate(b, i); });
    const float side = coordinate(*high, i) - coordinate(*low, i);
    if (side > longest) {
      longest = side;
      d = i;
    }
  }
  box.dimension = static_cast<std::uint8_t>(d);
  std::stable_sort(places.begin(), places.end(),
                   [this, d](auto a, auto b) { return coordinate(a, d) < coordinate(b, d); });
  const auto same = [&](std::size_t i) {
    return coordinate(places[i - 1], d) == coordinate(places[i], d);
  };
  const std::size_t half = places.size() / 2;
  if (longest <= 0) {  // virtual hosts are where their host is
    box.border = coordinate(places.front(), d);
    return half;
  }
  std::size_t below = half;
  std::size_t above = half;
  while (below > 0 && same(below)) --below;
  while (above < places.size() && same(above)) ++above;
  const bool take_below = above == places.size() || (below != 0 && half - below <= above - half);
  const std::size_t border = take_below ? below : above;
  box.border = (coordinate(places[border - 1], d) + coordinate(places[border], d)) / 2;
  box.whole_ring = grid_.wraps(d) && longest + 1 >= length_[d];
  return border;
}

namespace {

constexpr std::size_t kAtOnce = GridBoxes::kAtOnce;
using Floats = Wide<kAtOnce * sizeof(float)>::Floats;

// Ways in some dimensions at once, as GridBoxes::way() has them for one.
class Ways {
 public:
  Ways(const GridBoxes& boxes, std::size_t first) {
    load(boxes.lengths().data() + first, length_);
    load(boxes.halves().data() + first, half_);
  }
  // Makes the way to `there` of it.
  void turn(const Floats& here, Floats& there) const {
    const Floats straight = there - here;
    const Floats far = straight > half_ ? length_ : Floats{};
    const Floats far_back = straight < -half_ ? length_ : Floats{};
    there = straight - far + far_back;
  }

 private:
  Floats length_;
  Floats half_;
};

}  // namespace

Spreading::Spreading(const CommGraph& graph, const GridBoxes& boxes)
    : graph_(graph),
      boxes_(boxes),
      dimensions_(boxes.grid().dimensions()),
      stride_((dimensions_ + kAtOnce - 1) / kAtOnce * kAtOnce),
      key_(graph.ranks()),
      places_(graph.ranks()),
      ranks_(graph.ranks()) {
  for (std::vector<float>* const points : {&at_, &held_, &before_}) {
    reserve_large(*points, graph.ranks() * stride_);
    points->resize(graph.ranks() * stride_);
  }
  std::iota(ranks_.begin(), ranks_.end(), Rank{0});
}

void Spreading::put(Rank rank, const GridBoxes::Point& point) {
  for (std::size_t d = 0; d < dimensions_; ++d) {
    at_[rank * stride_ + d] = held_[rank * stride_ + d] = point[d];
  }
}

// Each lane moves its own half of the ranks, and sees the others where they were before the sweep,
// so that it makes no difference which lane is ahead.
void Spreading::relax(float hold, int sweeps) {
  const Rank ranks = graph_.ranks();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    before_ = at_;
    run_lanes_if(is_shared(graph_), [&](unsigned lane) {
      const auto border = [ranks](unsigned part) {
        return static_cast<Rank>(std::uint64_t{ranks} * part / kLanes);
      };
      relax_some(border(lane), border(lane + 1), sweep % 2 == 1, hold);
    });
  }
}

void Spreading::relax_some(Rank first, Rank last, bool backwards, float hold) {
  constexpr Rank ahead = 3;
  constexpr std::size_t near = 1U << 17U;  // numbers, that a core's own cache holds
  const bool far = at_.size() > near;
  const auto rank_at = [=](Rank i) { return backwards ? last - 1 - i : first + i; };
  for (Rank i = 0; i < last - first; ++i) {
    if (far && i + ahead < last - first) fetch_partners(rank_at(i + ahead), first, last);
    relax_one(rank_at(i), first, last, hold);
  }
}

// Fetches into the cache where they are.
void Spreading::fetch_partners(Rank rank, Rank first, Rank last) const {
  for (const CommEdge& edge : graph_.partners(rank))
    __builtin_prefetch(where_seen(edge.partner, first, last));
}

// Of a partner, by who moves ranks [first, last).
const float* Spreading::where_seen(Rank partner, Rank first, Rank last) const {
  const bool own = partner >= first && partner < last;
  return (own ? at_ : before_).data() + partner * stride_;
}

// Some dimensions at once: what comes beyond the last one is 0 all along.
void Spreading::relax_one(Rank rank, Rank first, Rank last, float hold) {
  const auto partners = graph_.partners(rank);
  if (partners.empty()) return;
  for (std::size_t d = 0; d < dimensions_; d += kAtOnce) {
    float* const mine = &at_[rank * stride_ + d];
    const Ways ways(boxes_, d);
    Floats here;
    load(mine, here);
    Floats sum{};
    float weights = 0;
    for (const auto& [partner, bytes, sent] : partners) {
      Floats there;
      load(where_seen(partner, first, last) + d, there);
      const auto weight = static_cast<float>(bytes);
      ways.turn(here, there);
      sum += weight * there;
      weights += weight;
    }
    Floats back;
    load(&held_[rank * stride_ + d], back);
    ways.turn(here, back);
    here += (sum / weights + hold * back) / (1 + hold);
    store(here, mine);
    for (std::size_t i = 0; i < kAtOnce && d + i < dimensions_; ++i)
      mine[i] = boxes_.wrapped(d + i, mine[i]);
  }
}

void Spreading::spread() {
  distribute(boxes_.whole(), 0, static_cast<std::uint32_t>(ranks_.size()), 0);
}

void Spreading::distribute(GridBoxes::Half half, std::uint32_t first, std::uint32_t last,
                           unsigned depth) {
  if (first == last) return;
  if (half.is_place) {
    settle(half.index, first, last);
    return;
  }
  const GridBoxes::Box& box = boxes_.box(half.index);
  const std::uint32_t border = divide(box, first, last);
  if (depth > 0) {
    distribute(box.low, first, border, depth + 1);
    distribute(box.high, border, last, depth + 1);
    return;
  }
  run_lanes_if(is_shared(graph_), [&](unsigned lane) {
    if (lane == 0) distribute(box.low, first, border, depth + 1);
    if (lane == kLanes - 1) distribute(box.high, border, last, depth + 1);
  });
}

// Orders ranks so that those for the lower half come first: as many as belong there, or as there
// are seats for.
std::uint32_t Spreading::divide(const GridBoxes::Box& box, std::uint32_t first,
                                std::uint32_t last) {
  const std::size_t d = box.dimension;
  const float border = boxes_.way(d, box.middle, box.border);
  std::uint32_t below = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const float at = at_[ranks_[i] * stride_ + d];
    // Round a whole ring the halves have two borders.
    key_[ranks_[i]] = box.whole_ring ? std::fabs(boxes_.way(d, at, box.low_middle)) -
                                           std::fabs(boxes_.way(d, at, box.high_middle))
                                     : boxes_.way(d, box.middle, at) - border;
    below += key_[ranks_[i]] < 0 ? 1 : 0;
  }
  const std::uint32_t ranks = last - first;
  const std::uint32_t too_many_above = ranks > box.seats_high ? ranks - box.seats_high : 0;
  below = std::clamp(below, too_many_above, std::min(ranks, box.seats_low));
  const auto begin = ranks_.begin() + first;
  if (below > 0 && below < ranks) {
    std::nth_element(begin, begin + below, ranks_.begin() + last, [this](Rank a, Rank b) {
      return key_[a] != key_[b] ? key_[a] < key_[b] : a < b;
    });
  }
  return first + below;
}

void Spreading::settle(std::uint32_t place, std::uint32_t first, std::uint32_t last) {
  const GridBoxes::Point point = boxes_.at(place);
  for (std::uint32_t i = first; i < last; ++i) {
    places_[ranks_[i]] = place;
    std::copy_n(point.begin(), dimensions_, &held_[ranks_[i] * stride_]);
  }
}

}  // namespace tofa
