// SPDX-License-Identifier: BSD-3-Clause
// Placements on networks whose links are not alike: what is left of them is followed by every
// objective that counts it, by each measure and reduction, and by no other.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/random_cases.hpp"
#include "tofa/link_costs.hpp"
#include "tofa/place.hpp"

namespace tofa {
namespace {

class PlacementOnBusyLinks : public testing::Test {
 protected:
  PlacementOnBusyLinks() {
    use_.bytes_per_second.resize(ring_->links());
    use_.stalls.resize(ring_->links());
    // Others use the link between n0 and n1, which are next to each other, both ways.
    for (Link link = 0; link < ring_->links(); ++link) {
      // Initializer lists: pairs of values, and not of references to what is gone.
      if (std::minmax({ring_->link_source(link), ring_->link_target(link)}) !=
          std::minmax<std::uint32_t>({0, 1})) {
        continue;
      }
      use_.bytes_per_second[link] = 0.9 * kAssumedBandwidth;
      use_.stalls[link] = 0.9;
    }
  }

  // Whether two ranks that talk are kept apart from the busy link, though list order has them
  // there.
  bool avoids(const char* objective, PairCostRule rule) {
    weigh_links(*ring_, use_, rule);
    PlaceOptions options = test::options_with_work(0.05);
    options.objective = parse_objective(objective);
    const Placement placement = place(pair_, *ring_, {}, {{0, 1}, {1, 1}, {2, 1}}, options);
    const auto [low, high] = std::minmax(placement.mapping[0], placement.mapping[1]);
    return !(low == 0 && high == 1);
  }

  std::unique_ptr<Topology> ring_ =
      parse_topology("[topology]\nkind=\"torus\"\nshape=[8]\nnodes=\"n[0-7]\"\n", "ring.toml");
  LinkUse use_;
  CommGraph pair_{Traffic{2, {{0, 1, 1'000'000}, {1, 0, 1'000'000}}, ""}};
};

TEST_F(PlacementOnBusyLinks, AvoidsThemByWhatIsLeft) {
  for (const auto reduction : {RouteReduction::sum, RouteReduction::min, RouteReduction::max}) {
    for (const auto measure : {LinkMeasure::bandwidth, LinkMeasure::stalls}) {
      for (const char* objective : {"completion-time", "congestion", "pair-cost"})
        EXPECT_TRUE(avoids(objective, {measure, reduction})) << objective;
    }
  }
}

TEST_F(PlacementOnBusyLinks, DoesNotWhereHopsCount) {
  EXPECT_FALSE(avoids("completion-time", {LinkMeasure::hops, RouteReduction::sum}));
  EXPECT_FALSE(avoids("hop-bytes", {}));
}

RC_GTEST_PROP(PlacementOnBusyLinksProperty, IsNeverWorseThanTheDefault, ()) {
  const auto topology = test::any_topology();
  test::weigh_some_links(*topology);
  const Allocation allocation = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 20U));
  PlaceOptions options = test::options_with_work(0.002);
  options.objective = *rc::gen::elementOf(all_objectives());
  const Placement placement = place(graph, *topology, {}, allocation, options);
  RC_ASSERT(placement.chosen_cost <= placement.linear_cost);
  const double again = objective_value(
      options.objective, evaluate(graph, *topology, {}, placement.mapping), options.abort_cost);
  RC_ASSERT(again == placement.chosen_cost);
}

}  // namespace
}  // namespace tofa
