// SPDX-License-Identifier: BSD-3-Clause
// The last step of a search: swaps and moves to free slots judged on the true objective, busiest
// link and abort probability included, at a low temperature.
#pragma once

#include "mapping/search_space.hpp"

namespace tofa {

// Tries `tries` moves and leaves `seating` at the best arrangement met. Stops early when the
// deadline passes.
void descend(const SearchSpace& space, std::uint64_t tries, RandomSource random, Seating& seating);

}  // namespace tofa
