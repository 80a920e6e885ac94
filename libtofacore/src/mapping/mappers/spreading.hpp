// SPDX-License-Identifier: BSD-3-Clause
// Ranks as points in a grid: each is drawn to where its partners are, then all are spread so that
// every node gets no more than it has seats for, and drawn again, more and more held by where they
// were spread to. That is how cells of a circuit are placed (Kim, Lee and Markov, SimPL: an
// effective placement algorithm, 2012; rings and seats are ours). It knows no more of the global
// arrangement than it is given at the start, and finds a good one nearby in time that grows with
// the traffic.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "mapping/seats/seat_plan.hpp"

namespace tofa {

// The entries of a grid as a tree of boxes, each cut across its longest side, down to single
// entries. Coordinates are those of the grid.
class GridBoxes {
 public:
  using Point = std::array<float, Grid::kMostDimensions>;
  static constexpr std::uint32_t kLeaf = 0;  // as a child: there is none

  struct Box {
    std::uint32_t low = kLeaf;  // the halves
    std::uint32_t high = kLeaf;
    std::uint32_t entry = 0;  // of a single entry; of several, the one nearest to the middle
    std::uint32_t seats = 0;
    std::size_t dimension = 0;  // across which it is cut
    bool whole_ring = false;    // whether it goes all the way round there
    float border = 0;           // between the halves
    float low_middle = 0;
    float high_middle = 0;
    Point middle{};
  };

  // The topology must be a grid, and the plan have entries.
  GridBoxes(const Topology& topology, const SeatPlan& plan);

  const Grid& grid() const { return grid_; }
  const Box& root() const { return boxes_.front(); }
  const Box& operator[](std::uint32_t index) const { return boxes_[index]; }
  Point at(std::uint32_t entry) const;

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
  std::uint32_t build(std::size_t first, std::size_t last);
  std::size_t cut(std::size_t first, std::size_t last, Box& box);
  std::uint32_t nearest_to_middle(std::size_t first, std::size_t last, const Point& middle) const;
  float coordinate(std::uint32_t entry, std::size_t d) const {
    return at_[entry * grid_.dimensions() + d];
  }

  const Grid& grid_;
  const SeatPlan& plan_;
  Point length_{};
  Point half_{};           // of a length; where there is no ring, no way is as long
  std::vector<float> at_;  // by entry and dimension
  std::vector<std::uint32_t> entries_;
  std::vector<Box> boxes_;
};

class Spreading {
 public:
  // Both outlive it; the boxes have seats for all ranks.
  Spreading(const CommGraph& graph, const GridBoxes& boxes);

  void put(Rank rank, const GridBoxes::Point& point);
  // Draws every rank to the middle of its partners, and with `hold` times the weight of them all to
  // where it was put or spread to last; so often.
  void relax(float hold, int sweeps);
  // Gives every rank an entry near to where it is, as far as there are seats.
  void spread();
  // Since the last spread.
  std::uint32_t entry(Rank rank) const { return entry_[rank]; }

 private:
  void relax_some(Rank first, Rank last, bool backwards, float hold);
  void relax_one(Rank rank, Rank first, Rank last, float hold);
  void distribute(const GridBoxes::Box& box, std::uint32_t first, std::uint32_t last,
                  unsigned depth);
  std::uint32_t divide(const GridBoxes::Box& box, std::uint32_t first, std::uint32_t last);
  void settle(std::uint32_t entry, std::uint32_t first, std::uint32_t last);

  const CommGraph& graph_;
  const GridBoxes& boxes_;
  std::size_t dimensions_;
  std::vector<float> at_;      // by rank and dimension
  std::vector<float> before_;  // the same, before the sweep
  std::vector<float> held_;    // where they were spread to
  std::vector<float> key_;     // scratch, by rank
  std::vector<std::uint32_t> entry_;
  std::vector<Rank> ranks_;
};

}  // namespace tofa
