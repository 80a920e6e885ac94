// SPDX-License-Identifier: BSD-3-Clause
// Boxes around allocated nodes: where an arrangement meets most of them, and whether they hold
// together.
#include "mapping/mappers/host_box.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "support/mapping_task.hpp"

namespace tofa::host_box_test {
namespace {

// A part of a torus of 6 x 8 x 5, with one rank.
class Part {
 public:
  explicit Part(const std::function<bool(unsigned x, unsigned y, unsigned z)>& is_allocated) {
    for (Node node = 0; node < torus_->nodes(); ++node) {
      const auto at = torus_->coordinates(node);
      if (is_allocated(at[0], at[1], at[2])) allocation_.push_back({node, 1});
    }
    box_ = HostBox::of(
        test::task_of(graph_, *torus_, none_, allocation_, trace_, parse_objective("hop-bytes")),
        0);
  }
  const HostBox& box() const { return *box_; }

 private:
  std::unique_ptr<Topology> torus_ = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [6, 8, 5]\nnodes = \"n[0-239]\"\n", "torus.toml");
  CommGraph graph_ = CommGraph::neighbours_in_rank_order(1);
  PlaceOptions options_;
  Trace trace_{options_};
  OutageMap none_;
  Allocation allocation_;
  std::optional<HostBox> box_;
};

Cell cell(unsigned x, unsigned y, unsigned z) {
  Cell cell{};
  cell[0] = static_cast<std::uint16_t>(x);
  cell[1] = static_cast<std::uint16_t>(y);
  cell[2] = static_cast<std::uint16_t>(z);
  return cell;
}

// Every place is tried, with all of the torus around; where cells are more than nodes, the fewest
// may be met before that.
RC_GTEST_PROP(HostBoxProperty, FindsWhereFewestCellsMiss, ()) {
  std::vector<bool> allocated(240);
  for (std::size_t i = 0; i < allocated.size(); ++i) allocated[i] = *rc::gen::inRange(0, 3) > 0;
  const auto is_allocated = [&](unsigned x, unsigned y, unsigned z) {
    const bool on_an_edge = (x % 6 == 0) + (y % 8 == 0) + (z % 5 == 0) >= 2;
    return on_an_edge || allocated[x % 6 + 6 * (y % 8 + 8 * (z % 5))];
  };
  const Part part(is_allocated);
  std::vector<Cell> cells;
  const int quarters = *rc::gen::inRange(1, 5);
  for (unsigned x = 0; x < 6; ++x) {
    for (unsigned y = 0; y < 8; ++y) {
      for (unsigned z = 0; z < 5; ++z) {
        if (*rc::gen::inRange(0, 4) < quarters) cells.push_back(cell(x, y, z));
      }
    }
  }
  std::size_t fewest = cells.size();
  for (unsigned x = 0; x < 6; ++x) {
    for (unsigned y = 0; y < 8; ++y) {
      for (unsigned z = 0; z < 5; ++z) {
        std::size_t misses = 0;
        for (const Cell& at : cells) {
          misses += is_allocated(at[0] + x, at[1] + y, at[2] + z) ? 0 : 1;
        }
        fewest = std::min(fewest, misses);
      }
    }
  }
  RC_ASSERT(part.box().fewest_misses(cells) == fewest);
}

TEST(HostBox, HoldsTogetherButWhereNodesAreScattered) {
  EXPECT_TRUE(Part([](unsigned, unsigned, unsigned) { return true; }).box().holds_together());
  const auto few_gaps = [](unsigned x, unsigned y, unsigned z) {
    return (x + 2 * y + 3 * z) % 9 > 0;
  };
  EXPECT_TRUE(Part(few_gaps).box().holds_together());
  const auto corner = [](unsigned x, unsigned y, unsigned) { return x < 3 || y < 3; };
  EXPECT_TRUE(Part(corner).box().holds_together());
  const auto scattered = [](unsigned x, unsigned y, unsigned z) {
    return (7 * x * x + 5 * y * z + 3 * z + x * y) % 11 < 7;
  };
  EXPECT_FALSE(Part(scattered).box().holds_together());
}

}  // namespace
}  // namespace tofa::host_box_test
