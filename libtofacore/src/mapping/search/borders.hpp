// SPDX-License-Identifier: BSD-3-Clause
// Which ranks lie at the border of their node: those that have strong partners on other nodes.
// Where many ranks share a node most others have no reason to leave it. Kept up to date while ranks
// move, in time that grows with the partners of those that do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/search/search_space.hpp"

namespace tofa {

class Borders {
 public:
  // Keeps track of `ranks`. At the entries that they move between these must be all that have
  // partners; others stay where they are. The plan of the seating outlives this.
  Borders(const SearchSpace& space, const Seating& seating, const std::vector<Rank>& ranks);

  std::uint32_t entry(Rank rank) const { return entry_of_[rank]; }
  // How many strong partners the rank has at other entries.
  std::uint32_t away(Rank rank) const { return away_[rank]; }
  // The ranks of an entry that have any, in no order.
  std::span<const Rank> of(std::uint32_t entry) const {
    return {&at_border_[first_of(entry)], count_[entry]};
  }

  void move(Rank rank, std::uint32_t to);

 private:
  // Each entry has one place more than seats: while two ranks change places, the first has come
  // before the second has left.
  std::size_t first_of(std::uint32_t entry) const { return places_.first_seat(entry) + entry; }
  void enter(Rank rank);
  void leave(Rank rank, std::uint32_t entry);

  const SearchSpace& space_;
  const SeatPlan& places_;
  std::vector<std::uint32_t> entry_of_;
  std::vector<std::uint32_t> away_;
  std::vector<Rank> at_border_;       // those of an entry from first_of() on, ...
  std::vector<std::uint32_t> count_;  // so many
  std::vector<std::uint32_t> place_;  // of a rank in at_border_, if it is there
};

// Of all traffic, the share that stays within a node; and how many strong partners a rank has
// elsewhere, in the mean. Of more than 2,048 ranks by as many draws.
struct Closeness {
  double within;
  double partners_away;
};

Closeness closeness(const SearchSpace& space, const Seating& seating);

}  // namespace tofa
