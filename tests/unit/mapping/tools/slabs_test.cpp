// SPDX-License-Identifier: BSD-3-Clause
// Slabs: as large as wanted, one beside the other, and no thinner than they need be.
#include "mapping/tools/slabs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "mapping/tools/random_source.hpp"

namespace tofa::slabs_test {
namespace {

std::vector<Rank> all(Rank ranks) {
  std::vector<Rank> order(ranks);
  std::iota(order.begin(), order.end(), Rank{0});
  return order;
}

Drawing random_drawing(Rank ranks, const std::vector<double>& lengths) {
  RandomSource random(1);
  Drawing drawing;
  for (const double length : lengths) {
    drawing.dimensions.push_back({false, length, {}});
    for (Rank rank = 0; rank < ranks; ++rank) {
      drawing.dimensions.back().at.push_back(static_cast<float>(length * random.unit()));
    }
  }
  return drawing;
}

RC_GTEST_PROP(SlabsProperty, OfALineLieInOrderAndHoldWhatTheyShould, ()) {
  const auto sizes =
      *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 40));
  const Rank ranks = std::accumulate(sizes.begin(), sizes.end(), 0U);
  RC_PRE(ranks > 0);
  const Drawing line = random_drawing(ranks, {1});
  std::vector<Rank> order = all(ranks);
  Slabs(line).cut(sizes, order);
  float low = -1;
  std::size_t at = 0;
  for (const std::uint32_t size : sizes) {
    float high = low;
    for (std::uint32_t i = 0; i < size; ++i) {
      const float x = line.dimensions[0].at[order[at++]];
      RC_ASSERT(x >= low);
      high = std::max(high, x);
    }
    low = high;
  }
  std::vector<Rank> sorted(order);
  std::sort(sorted.begin(), sorted.end());
  RC_ASSERT(sorted == all(ranks));
}

TEST(Slabs, CutAcrossWhatIsLongest) {
  const Drawing plane = random_drawing(1000, {1, 8});
  std::vector<Rank> order = all(1000);
  Slabs(plane).cut(std::vector<std::uint32_t>{250, 250, 250, 250}, order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_NEAR(plane.dimensions[1].at[order[i]], 1 + 2 * static_cast<float>(i / 250), 1.3);
  }
}

TEST(Slabs, AreTheSameInTwoLanes) {
  const Drawing plane = random_drawing(1000, {3, 2});
  const std::vector<std::uint32_t> sizes{100, 200, 300, 400};
  std::vector<Rank> order = all(1000);
  std::vector<Rank> by_lanes = all(1000);
  Slabs(plane).cut(sizes, order);
  Slabs(plane).cut_side_by_side(sizes, by_lanes);
  EXPECT_EQ(order, by_lanes);
}

}  // namespace
}  // namespace tofa::slabs_test
