// SPDX-License-Identifier: BSD-3-Clause
// Ranks as points in a grid: each is drawn to where its partners are, then all are spread so that
// every place gets no more than it has seats for, and drawn again, more and more held by where they
// were spread to. That is how cells of a circuit are placed (Kim, Lee and Markov, SimPL: an
// effective placement algorithm, 2012; rings and seats are ours). It knows no more of the global
// arrangement than it is given at the start, and finds a good one nearby in time that grows with
// the traffic.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mapping/seats/seat_plan.hpp"

namespace tofa {

// Places in a grid as a tree of boxes, each cut across its longest side, down to single places.
// These are the entries of a plan, or positions of the grid. Coordinates are those of the grid.
class GridBoxes {
 public:
  using Point = std::array<float, Grid::kMostDimensions>;
  static constexpr std::size_t kAtOnce = 4;
  using Sides = std::array<float, (Grid::kMostDimensions + kAtOnce - 1) / kAtOnce * kAtOnce>;

  // A half of a box: another box, or a single place.
  struct Half {
    std::uint32_t index = 0;
    bool is_place = true;
  };
  // There are as many as places, of which there may be millions: nothing is kept twice.
  struct Box {
    Half low;
    Half high;
    std::uint32_t seats_low = 0;
    std::uint32_t seats_high = 0;
    std::uint8_t dimension = 0;  // across which it is cut
    bool whole_ring = false;     // whether it goes all the way round there
    float border = 0;            // between the halves; the middles are those in that dimension, too
    float middle = 0;
    float low_middle = 0;
    float high_middle = 0;
  };

  // Entries of the plan, which must have some, on a topology that must be a grid.
  GridBoxes(const Topology& topology, const SeatPlan& plan);
  // Positions of a grid with so many seats each; of those without any no box is made, and there
  // must be others.
  GridBoxes(const Grid& grid, std::vector<std::uint32_t>&& seats);

  const Grid& grid() const { return grid_; }
  Half whole() const { return whole_; }
  const Box& box(std::uint32_t index) const { return boxes_[index]; }
  Point at(std::uint32_t place) const;
  // Of dimensions, and half of that where they are rings; where not, no way is as long. As many as
  // a multiple of kAtOnce.
  const Sides& lengths() const { return length_; }
  const Sides& halves() const { return half_; }

  // The way from `from` to `to` in a dimension, the shorter one in a ring. Coordinates in rings are
  // at least 0 and less than the extent; `wrapped` puts back what is less than one round outside.
  float way(std::size_t d, float from, float to) const {
    const float straight = to - from;
    if (straight > half_[d]) return straight - length_[d];
    return straight < -half_[d] ? straight + length_[d] : straight;
  }
  float wrapped(std::size_t d, float at) const {
    if (!grid_.wraps(d)) return at;
    if (at < 0) return std::max(at + length_[d], 0.0F);
    return at >= length_[d] ? at - length_[d] : at;
  }

 private:
  struct Built {
    Half half;
    std::uint32_t seats = 0;
    Point middle{};
  };
  using Places = std::span<std::uint32_t>;
  void measure_sides();
  void build_all();
  Built build(Places places);
  std::size_t cut(Places places, Box& box) const;
  float coordinate(std::uint32_t place, std::size_t d) const {
    return at_[place * grid_.dimensions() + d];
  }

  Grid grid_;
  std::vector<std::uint32_t> seats_;  // by place
  Sides length_{};
  Sides half_{};
  std::vector<float> at_;  // by place and dimension
  std::vector<Box> boxes_;
  Half whole_;
};

class Spreading {
 public:
  // Whether both lanes share the work; of few pairs it takes less time than they wait for each
  // other.
  static bool is_shared(const CommGraph& graph) { return graph.pairs() >= 10'000; }

  // Both outlive it; the boxes have seats for all ranks.
  Spreading(const CommGraph& graph, const GridBoxes& boxes);

  void put(Rank rank, const GridBoxes::Point& point);
  // Draws every rank to the middle of its partners, and with `hold` times the weight of them all to
  // where it was put or spread to last; so often.
  void relax(float hold, int sweeps);
  // Gives every rank a place near to where it is, as far as there are seats.
  void spread();
  // By rank, since the last spread.
  const std::vector<std::uint32_t>& places() const { return places_; }

 private:
  void relax_some(Rank first, Rank last, bool backwards, float hold);
  void relax_one(Rank rank, Rank first, Rank last, float hold);
  void fetch_partners(Rank rank, Rank first, Rank last) const;
  const float* where_seen(Rank partner, Rank first, Rank last) const;
  void distribute(GridBoxes::Half half, std::uint32_t first, std::uint32_t last, unsigned depth);
  std::uint32_t divide(const GridBoxes::Box& box, std::uint32_t first, std::uint32_t last);
  void settle(std::uint32_t place, std::uint32_t first, std::uint32_t last);

  const CommGraph& graph_;
  const GridBoxes& boxes_;
  std::size_t dimensions_;
  std::size_t stride_;         // numbers for each rank
  std::vector<float> at_;      // by rank and dimension
  std::vector<float> before_;  // the same, before the sweep
  std::vector<float> held_;    // where they were spread to
  std::vector<float> key_;     // scratch, by rank
  std::vector<std::uint32_t> places_;
  std::vector<Rank> ranks_;
};

}  // namespace tofa
