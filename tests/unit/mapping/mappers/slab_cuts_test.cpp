// SPDX-License-Identifier: BSD-3-Clause
// Slab cuts: every rank gets a position, none more than it has seats, and ranks that lie one after
// the other along a side keep their order.
#include "mapping/mappers/slab_cuts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "mapping/mappers/host_box.hpp"
#include "support/any_grid_task.hpp"

namespace tofa::slab_cuts_test {
namespace {

constexpr Turning kAsItIs = [] {
  Turning turning{};
  for (std::size_t d = 0; d < turning.size(); ++d) turning[d][d] = 1;
  return turning;
}();

Drawing any_drawing(Rank ranks, std::size_t dimensions) {
  Drawing drawing;
  for (std::size_t d = 0; d < dimensions; ++d) {
    Drawing::Dimension dimension{false, 1.0, {}};
    for (Rank rank = 0; rank < ranks; ++rank)
      dimension.at.push_back(static_cast<float>(*rc::gen::inRange(0, 1000)) / 1000);
    drawing.dimensions.push_back(dimension);
  }
  return drawing;
}

RC_GTEST_PROP(SlabCutsProperty, GiveNoPositionMoreThanItsSeats, ()) {
  const test::AnyGridTask any;
  const auto box = HostBox::of(any.task(), 0);
  RC_ASSERT(box.has_value());
  const Unfolding unfolding(*box, any.space().plan(), any.task().topology.nodes());
  const auto dimensions = *rc::gen::inRange<std::size_t>(1, 4);
  const Drawing drawing = any_drawing(any.task().graph.ranks(), dimensions);
  for (const auto& shape : shapes_of(unfolding.positions(), dimensions)) {
    const auto host = unfolding.unfold(shape, std::vector<std::uint8_t>(shape.size()), 0.01);
    if (!host) continue;
    SlabCuts cuts(drawing, any.task().graph.ranks());
    std::vector<std::uint32_t> used(host->entry.size());
    for (const std::uint32_t place : cuts.cut(kAsItIs, *host)) {
      RC_ASSERT(place < used.size());
      ++used[place];
    }
    // Seats that are left over are so all over the box.
    for (std::uint32_t at = 0; at < used.size(); ++at) RC_ASSERT(used[at] <= host->seats_at(at));
  }
}

TEST(SlabCuts, KeepTheOrderAlongALine) {
  Drawing drawing;
  drawing.dimensions.push_back({false, 1.0, {0.9F, 0.1F, 0.5F, 0.3F, 0.7F, 0.2F}});
  const Unfolded line{Grid({3}, {false}), {0, 1, 2}, {0, 1, 4, 6}};
  SlabCuts cuts(drawing, 6);
  EXPECT_EQ(cuts.cut(kAsItIs, line), (std::vector<std::uint32_t>{2, 0, 1, 1, 2, 1}));
  Turning mirrored = kAsItIs;
  mirrored[0][0] = -1;
  EXPECT_EQ(cuts.cut(mirrored, line), (std::vector<std::uint32_t>{0, 2, 1, 1, 1, 2}));
}

}  // namespace
}  // namespace tofa::slab_cuts_test
