// SPDX-License-Identifier: BSD-3-Clause
// Unfolding: every node and every seat once, whatever the grid, and neighbours stay neighbours.
#include "mapping/mappers/unfolding.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <set>

#include "mapping/mappers/folding.hpp"
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

void check(const Unfolded& unfolded, const SeatPlan& plan, unsigned positions) {
  RC_ASSERT(unfolded.entry.size() == positions);
  std::set<std::uint32_t> entries;
  for (std::size_t i = 0; i < unfolded.entry.size(); ++i) {
    const std::uint32_t entry = unfolded.entry[i];
    const std::uint64_t seats = unfolded.seats_before[i + 1] - unfolded.seats_before[i];
    RC_ASSERT(seats == (entry == Unfolded::kNone ? 0 : plan.seats_of(entry)));
    if (entry != Unfolded::kNone) RC_ASSERT(entries.insert(entry).second);
  }
  RC_ASSERT(entries.size() == plan.entries());
  RC_ASSERT(unfolded.seats_before.back() == plan.seats());
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
    auto unfolded = unfolding.unfold(shape, wraps, 0.01);
    if (!unfolded) continue;
    RC_ASSERT(unfolded->grid.shape() == shape);
    check(*unfolded, plan, unfolding.positions());
    const auto places = *rc::gen::container<std::vector<std::uint32_t>>(
        any.task().graph.ranks(), rc::gen::inRange(0U, unfolding.positions()));
    unfolding.pleat(any.task(), places, *unfolded);
    check(*unfolded, plan, unfolding.positions());
  }
}

Allocation all_of(const Topology& topology) {
  Allocation allocation;
  for (Node node = 0; node < topology.nodes(); ++node) allocation.push_back({node, 1});
  return allocation;
}

// A plane of 32 x 16 positions out of a torus of 8 x 8 x 8, and ranks that lie in it row by row.
class Plane {
 public:
  explicit Plane(const CommGraph& graph) : graph_(graph), trace_(options_) {
    plane_ = unfolding_.unfold({32, 16}, {0, 0}, 1);
  }
  Plane(const Plane&) = delete;
  Plane& operator=(const Plane&) = delete;

  bool exists() const { return plane_.has_value(); }
  unsigned hops(std::uint32_t a, std::uint32_t b) const {
    return torus_->hops(plane_->entry[a], plane_->entry[b]);
  }
  const HostBox& box() const { return *box_; }

 private:
  const CommGraph& graph_;
  std::unique_ptr<Topology> torus_ = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [8, 8, 8]\nnodes = \"n[0-511]\"\n", "torus.toml");
  Allocation allocation_ = all_of(*torus_);
  PlaceOptions options_;
  Trace trace_;
  OutageMap none_;
  MappingTask task_ =
      test::task_of(graph_, *torus_, none_, allocation_, trace_, parse_objective("hop-bytes"));
  std::optional<HostBox> box_ = HostBox::of(task_);
  SeatPlan plan_{allocation_, graph_.ranks()};
  Unfolding unfolding_{*box_, plan_, torus_->nodes()};
  std::optional<Unfolded> plane_;
};

TEST(Unfolding, APlaneOutOfATorusKeepsNeighbours) {
  const CommGraph graph = CommGraph::neighbours_in_rank_order(512);
  const Plane plane(graph);
  ASSERT_TRUE(plane.exists());
  unsigned far = 0;
  for (unsigned i = 0; i < 512; ++i) {
    if (i % 32 != 31) far += plane.hops(i, i + 1) > 1 ? 1 : 0;
    if (i + 32 < 512) far += plane.hops(i, i + 32) > 1 ? 1 : 0;
  }
  EXPECT_LE(far, 976 / 20);
}

// Each position with all that are up to four away in either dimension, alike.
std::vector<GuestPair> wide_stencil(unsigned width, unsigned height) {
  std::vector<GuestPair> pairs;
  for (unsigned a = 0; a < width * height; ++a) {
    for (unsigned b = 0; b < a; ++b) {
      const unsigned x = std::max(a % width, b % width) - std::min(a % width, b % width);
      if (x <= 4 && a / width - b / width <= 4) pairs.push_back({a, b, 1});
    }
  }
  return pairs;
}

TEST(Folder, BringsWhatIsSomePositionsAwayCloserInPleats) {
  const CommGraph graph = CommGraph::neighbours_in_rank_order(512);
  const Plane plane(graph);
  const GuestGrid guest{{32, 16}, {0, 0}, {}};
  const auto least = [&](Folder::Pleats pleats) {
    return Folder(plane.box(), guest, 1, wide_stencil(32, 16), 1000, pleats).search();
  };
  EXPECT_LT(least(Folder::Pleats::yes), 0.98 * least(Folder::Pleats::no));
}

}  // namespace
}  // namespace tofa::unfolding_test
