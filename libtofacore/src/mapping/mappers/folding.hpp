// SPDX-License-Identifier: BSD-3-Clause
// Laying a grid of ranks into the grid of nodes the way cloth is folded. Each guest dimension is
// cut into digits, the first digit of which changes fastest; each digit goes along one host
// dimension, turning round at every carry, so that neighbours stay neighbours wherever no fold is
// in between. All ways to hand out digits to host dimensions are tried on a sample of the pairs.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mapping/mappers/host_box.hpp"
#include "tofa/guest_grid.hpp"

namespace tofa {

// Two positions of the guest that talk to each other.
struct GuestPair {
  std::uint32_t a;
  std::uint32_t b;
  double bytes;
};

// Those of some ranks, as many as plans are worth being judged by.
std::vector<GuestPair> sample_pairs(const CommGraph& graph, const GuestGrid& guest);
// Some positions with their neighbours, one way.
std::vector<GuestPair> sample_neighbours(const GuestGrid& guest);

class Folder {
 public:
  // Whether a dimension of the guest may be laid in pleats first, two positions deep. What has
  // fewer dimensions than the machine, as a plane in space, lies there in thin layers, with
  // strangers above and below; in pleats it is thicker, so that what is some positions away is
  // closer.
  enum class Pleats : std::uint8_t { no, yes };

  // With `slots` of 1, `guest` is of tiles that fill a node each. As many plans are tried as take a
  // small share of the seconds.
  Folder(const HostBox& box, const GuestGrid& guest, unsigned slots, std::vector<GuestPair> sample,
         double seconds, Pleats pleats = Pleats::no);

  // What the best plan costs by the sample, in hops times bytes; infinite if the guest does not
  // fit.
  double search();

  // By the best plan, where each rank is; of equally good ones by that which meets the fewest gaps
  // of the box, or by the first. Only after a search that found one.
  std::vector<Cell> cells() const;
  std::vector<Cell> first_cells() const { return cells(best_.front()); }

 private:
  struct Digit {
    std::size_t host;  // dimension of the box
    unsigned radix;
  };

  // The digits of each guest dimension, fastest first. In a host dimension, digits of guests
  // earlier in `order` change faster.
  struct FoldPlan {
    std::vector<std::size_t> order;
    std::vector<std::vector<Digit>> digits;  // by guest dimension
    std::vector<bool> interleaved;           // rings laid flat: 0, 2, 4, ... 5, 3, 1
  };

  // Of a coordinate of the guest, fastest first.
  using Digits = std::array<unsigned, 2 * kMaxBoxDimensions>;
  // Of those that lead from digits to a place: the next one of a dimension of the box.
  struct Step {
    std::uint32_t guest;  // dimension
    std::uint32_t index;  // of its digit
    std::uint32_t host;
    unsigned radix;
  };
  // Where in coordinates_ those of a position are, by guest dimension.
  using Place = std::array<std::uint32_t, kMaxGuestDimensions>;

  std::vector<Place> find_places();
  bool enough() const;
  bool may_pleat(const std::vector<Digit>& digits, unsigned rest, unsigned room) const;
  void hand_out(FoldPlan& plan, std::vector<unsigned>& room, std::size_t next, unsigned rest);
  void lay(FoldPlan& plan, std::vector<unsigned>& room, std::size_t next, const Digit& digit,
           unsigned folds);
  void judge(FoldPlan& plan);
  double cost(const FoldPlan& plan);
  Digits digits(const FoldPlan& plan, std::size_t guest, unsigned coordinate) const;
  std::vector<Step> steps(const FoldPlan& plan) const;
  template <typename DigitOf>
  Cell cell(const std::vector<Step>& steps, const DigitOf& digit_of) const;
  std::vector<Cell> cells(const FoldPlan& plan) const;

  const HostBox& box_;
  const GuestGrid& guest_;
  const unsigned slots_;
  const Pleats pleats_;
  std::vector<GuestPair> sample_;
  // By guest dimension, the coordinates that the sample has, and their digits by the plan that is
  // looked at.
  std::vector<std::vector<unsigned>> coordinates_;
  std::vector<std::vector<Digits>> digits_;
  std::vector<Place> places_;  // of each pair of the sample, a and b
  double least_cost_ = 0;
  std::vector<FoldPlan> best_;  // they cost the same
  double best_cost_ = HUGE_VAL;
  std::size_t plans_ = 0;
  std::size_t tried_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace tofa
