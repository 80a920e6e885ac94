// SPDX-License-Identifier: BSD-3-Clause
// The last step of a search: swaps and moves to free slots judged on the true objective, busiest
// link and abort probability included, at a low temperature.
#pragma once

#include "mapping/search/search_space.hpp"

namespace tofa {

struct DescentSchedule {
  std::uint64_t tries;
  // Uphill steps up to about this share of the cost are taken at first; it falls to nothing.
  double first_step;
};

// Leaves `seating` at the best arrangement met. Stops early when the deadline passes.
void descend(const SearchSpace& space, const DescentSchedule& schedule, RandomSource random,
             Seating& seating);

}  // namespace tofa
