// SPDX-License-Identifier: BSD-3-Clause
// Standing room: while an arrangement is warm, a node may hold a few more ranks than it has seats.
// A rank then goes where it belongs, and another one leaves when there is reason to, where an
// exchange needs both at once. What stands costs a price, which goes up and down until as many
// stand as should at a temperature, and none at the end.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/search/search_space.hpp"

namespace tofa {

// The seats of a task and some more on every node to stand on.
SeatPlan with_standing_room(const MappingTask& task);

// What a rank has to pay that stands, in the units of the search. Kept over all phases of an anneal
// between these temperatures.
class StandingPrice {
 public:
  StandingPrice(double start, double end);

  std::int64_t price() const { return static_cast<std::int64_t>(price_); }
  // After so many tries, with so many standing, of so many ranks that may.
  void adapt(double temperature, std::uint64_t tries, std::int64_t standing, std::size_t ranks);

 private:
  double start_;
  double cooling_;  // logarithm of last temperature over first
  double price_;
};

// Who stands: what is counted while ranks move. All places of a node are alike, so ranks stand
// where there are more of them than seats.
class StandingRoom {
 public:
  // `seats` are those of the task; the seating may have more to stand on.
  StandingRoom(const SeatPlan& seats, const Seating& seating);

  // Whether there is a place that nobody has, to sit or to stand on.
  bool has_place(std::uint32_t entry) const { return !free_[entry].empty(); }
  Seat place(std::uint32_t entry) const { return free_[entry].back(); }
  // How many ranks more stand if one goes from here to there.
  std::int64_t change(std::uint32_t source, std::uint32_t target) const {
    return (taken_[target] >= seats_.seats_of(target) ? 1 : 0) -
           (taken_[source] > seats_.seats_of(source) ? 1 : 0);
  }
  std::int64_t standing(std::uint32_t entry) const {
    const std::int64_t more = std::int64_t{taken_[entry]} - seats_.seats_of(entry);
    return more > 0 ? more : 0;
  }
  // A rank left a seat of `source` for the place that `target` has.
  void move(std::uint32_t source, Seat left, std::uint32_t target);

 private:
  const SeatPlan& seats_;
  std::vector<std::uint32_t> taken_;     // by entry
  std::vector<std::vector<Seat>> free_;  // by entry
};

}  // namespace tofa
