// SPDX-License-Identifier: BSD-3-Clause
// Hops to the nearest of the marked positions of a grid are what comparing with all of them tells.
#include "mapping/search/marked_nodes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tofa {
namespace {

RC_GTEST_PROP(MarkedNodesProperty, AreAsFarAsTheNearest, ()) {
  const auto dimensions = *rc::gen::inRange<std::size_t>(1, 5);
  const auto shape =
      *rc::gen::container<std::vector<unsigned>>(dimensions, rc::gen::inRange<unsigned>(1, 7));
  const auto wraps = *rc::gen::container<std::vector<bool>>(dimensions, rc::gen::arbitrary<bool>());
  const Grid grid(shape, wraps);
  std::vector<bool> marked(grid.positions());
  const auto some = *rc::gen::container<std::vector<std::uint32_t>>(
      rc::gen::inRange<std::uint32_t>(0, grid.positions()));
  for (const std::uint32_t position : some) marked[position] = true;
  const std::vector<std::uint32_t> hops = hops_to_marked(grid, marked);
  for (std::uint32_t here = 0; here < grid.positions(); ++here) {
    if (some.empty()) {
      RC_ASSERT(hops[here] > grid.hops_between(0, here));
      continue;
    }
    std::uint32_t nearest = ~0U;
    for (const std::uint32_t there : some)
      nearest = std::min(nearest, grid.hops_between(here, there));
    RC_ASSERT(hops[here] == nearest);
  }
}

}  // namespace
}  // namespace tofa
