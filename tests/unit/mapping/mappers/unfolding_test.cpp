// SPDX-License-Identifier: BSD-3-Clause
// Unfolding: every node and every seat once, whatever the grid, and neighbours stay neighbours.
#include "mapping/mappers/unfolding.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "support/any_grid_task.hpp"

namespace tofa::unfolding_test {
namespace {

TEST(ShapesOf, AreProductsLongestSideFirst) {
  using Shapes = std::vector<std::vector<unsigned>>;
  EXPECT_EQ(shapes_of(12, 1), (Shapes{{12}}));
  EXPECT_EQ(shapes_of(12, 2), (Shapes{{4, 3}, {6, 2}}));
  EXPECT_EQ(shapes_of(12, 3), (Shapes{{3, 2, 2}}));
  EXPECT_EQ(shapes_of(7, 2), Shapes{});
  EXPECT_EQ(shapes_of(1, 1), (Shapes{{1}}));
}

RC_GTEST_PROP(UnfoldingProperty, HasEveryEntryAndEverySeatOnce, ()) {
  const test::AnyGridTask any;
  const auto box = HostBox::of(any.task(), 0);
  RC_ASSERT(box.has_value());
  const SeatPlan& plan = any.space().plan();
  const Unfolding unfolding(*box, plan, any.task().topology.nodes());
  const auto dimensions = *rc::gen::inRange<std::size_t>(1, 4);
  for (const auto& shape : shapes_of(unfolding.positions(), dimensions)) {
    std::vector<std::uint8_t> wraps;
    for (std::size_t d = 0; d < shape.size(); ++d) wraps.push_back(*rc::gen::inRange(0, 2));
    const auto unfolded = unfolding.unfold(shape, wraps, 0.01);
    if (!unfolded) continue;
    RC_ASSERT(unfolded->grid.shape() == shape);
    RC_ASSERT(unfolded->entry.size() == unfolding.positions());
    std::set<std::uint32_t> entries;
    for (std::size_t i = 0; i < unfolded->entry.size(); ++i) {
      const std::uint32_t entry = unfolded->entry[i];
      const std::uint64_t seats = unfolded->seats_before[i + 1] - unfolded->seats_before[i];
      RC_ASSERT(seats == (entry == Unfolded::kNone ? 0 : plan.seats_of(entry)));
      if (entry != Unfolded::kNone) RC_ASSERT(entries.insert(entry).second);
    }
    RC_ASSERT(entries.size() == plan.entries());
    RC_ASSERT(unfolded->seats_before.back() == plan.seats());
  }
}

TEST(Unfolding, APlaneOutOfATorusKeepsNeighbours) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [8, 8, 8]\nnodes = \"n[0-511]\"\n", "torus.toml");
  Allocation allocation;
  for (Node node = 0; node < torus->nodes(); ++node) allocation.push_back({node, 1});
  const CommGraph graph = CommGraph::neighbours_in_rank_order(512);
  const PlaceOptions options;
  Trace trace(options);
  const OutageMap none;
  const MappingTask task =
      test::task_of(graph, *torus, none, allocation, trace, parse_objective("hop-bytes"));
  const auto box = HostBox::of(task);
  const SeatPlan plan(allocation, 512);
  const auto plane = Unfolding(*box, plan, torus->nodes()).unfold({32, 16}, {0, 0}, 1);
  ASSERT_TRUE(plane.has_value());
  unsigned far = 0;
  for (unsigned i = 0; i < 512; ++i) {
    if (i % 32 != 31) far += torus->hops(plane->entry[i], plane->entry[i + 1]) > 1 ? 1 : 0;
    if (i + 32 < 512) far += torus->hops(plane->entry[i], plane->entry[i + 32]) > 1 ? 1 : 0;
  }
  EXPECT_LE(far, 976 / 20);
}

}  // namespace
}  // namespace tofa::unfolding_test
