// SPDX-License-Identifier: BSD-3-Clause
// Loads that follow moves, line by line (line_loads.hpp) or link by link (route_loads.hpp), must be
// those of the routes, after any moves that were made or given up.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mapping/search/line_loads.hpp"
#include "mapping/search/route_loads.hpp"
#include "support/mapping_task.hpp"
#include "support/random_cases.hpp"

namespace tofa {
namespace {

// Lines of up to three parts.
std::unique_ptr<Topology> any_long_grid() {
  GridSpec spec;
  const auto dims = *rc::gen::inRange<std::size_t>(1, 4);
  spec.kind = "torus";
  spec.shape = *rc::gen::container<std::vector<unsigned>>(dims, rc::gen::inRange(1U, 20U));
  spec.wrap = *rc::gen::container<std::vector<bool>>(dims, rc::gen::arbitrary<bool>());
  spec.tie = *rc::gen::element(TieRule::positive, TieRule::destination_parity, TieRule::simgrid);
  complete_grid_spec(spec, true);
  std::uint32_t positions = 1;
  for (const unsigned extent : spec.shape) positions *= extent;
  for (std::uint32_t position = 0; position < positions; position += 1 + position % 3) {
    spec.names.push_back("n" + std::to_string(position));
    spec.positions.push_back(position);
  }
  return std::make_unique<GridTopology>(std::move(spec));
}

Allocation some_nodes(const Topology& topology) {
  Allocation nodes;
  const auto step = 1 + topology.nodes() / 30;
  for (Node node = 0; node < topology.nodes(); node += step) nodes.push_back({node, 2});
  return nodes;
}

// Ranks at entries, and what that puts on links; each link's load is in multiples of what it costs.
struct Scene {
  explicit Scene(std::unique_ptr<Topology> network)
      : topology(std::move(network)),
        allocation(some_nodes(*topology)),
        graph(test::any_graph(12)),
        plan(allocation, graph.ranks()),
        flows(graph, unit) {
    for (Rank rank = 0; rank < graph.ranks(); ++rank) entry_of.push_back(any_entry());
  }

  std::uint32_t any_entry() const {
    return *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(plan.entries()));
  }

  std::vector<float> loads() const {
    std::vector<float> loads(topology->links());
    std::vector<Link> route;
    for (Rank rank = 0; rank < graph.ranks(); ++rank) {
      for (const Flow& flow : flows.of(rank)) {
        route.clear();
        topology->route(plan.node(entry_of[rank]), plan.node(entry_of[flow.partner]), route);
        for (const Link link : route)
          loads[link] += flow.out * static_cast<float>(costs() ? costs()->cost(link) : 1);
      }
    }
    return loads;
  }
  LoadSums sums() const {
    std::vector<float> ease;
    for (Link link = 0; costs() && link < topology->links(); ++link)
      ease.push_back(static_cast<float>(1 / costs()->cost(link)));
    return sums_of_loads(loads(), ease);
  }
  // On a link, wherever ranks are.
  double most() const {
    const double costliest =
        costs() ? *std::max_element(costs()->costs().begin(), costs()->costs().end()) : 1;
    return costliest * static_cast<double>(graph.total_bytes()) / unit;
  }
  SmoothTime time() const {
    const OutageMap none;
    const PlaceOptions options;
    Trace trace(options);
    return {test::task_of(graph, *topology, none, allocation, trace,
                          parse_objective("completion-time")),
            unit};
  }
  const LinkCosts* costs() const { return topology->link_costs(); }

  static constexpr double unit = 64;
  std::unique_ptr<Topology> topology;
  Allocation allocation;
  CommGraph graph;
  SeatPlan plan;
  Flows flows;
  std::vector<std::uint32_t> entry_of;
};

// But for rounding, of them and of what was there before, which is at most so much.
bool close(double a, double b, double most) {
  return std::abs(a - b) <= 1e-4 * std::max(1.0, std::abs(b)) + 1e-6 * most;
}

template <typename Loads>
void check_against_routes(Scene& scene, Loads& loads) {
  EntryFlows flows(scene.flows, scene.plan.entries());
  std::vector<std::uint32_t>& entry_of = scene.entry_of;
  for (Rank rank = 0; rank < scene.graph.ranks(); ++rank)
    loads.put_down(flows.of(rank, entry_of.data()), entry_of[rank], 0.5F);
  loads.keep();
  SmoothTime time = scene.time();
  const double all = scene.most();
  for (int i = 0; i < 12; ++i) {
    const LoadSums before = scene.sums();
    RC_ASSERT(close(loads.sums().sum, before.sum, all));
    RC_ASSERT(close(loads.sums().squares, before.squares, all * all));
    RC_ASSERT(close(loads.sums().most, before.most, all));
    time.begin(before.norm);
    const Rank rank = *rc::gen::inRange<Rank>(0, scene.graph.ranks());
    const Rank other = *rc::gen::inRange<Rank>(0, scene.graph.ranks());
    const auto to = *rc::gen::inRange<std::uint32_t>(0, scene.plan.entries());
    const bool alone = *rc::gen::arbitrary<bool>();
    if (rank == other) continue;
    const std::uint32_t source = entry_of[rank];
    const std::uint32_t target = alone ? to : entry_of[other];
    if (source == target) continue;
    const auto changed = flows.of_exchange(rank, alone ? kNoRank : other, entry_of.data());
    loads.put_down(changed, source, -1);
    loads.put_down(changed, target, 1);
    entry_of[rank] = target;
    if (!alone) entry_of[other] = source;
    // A norm that is by far smaller or larger than it was is known to be that, and no more.
    const LoadSums after = scene.sums();
    const double per_square =
        Scene::unit / std::max(1.0, static_cast<double>(scene.graph.total_bytes()));
    const double of_norm =
        time.value(loads.change(time)) - per_square * (after.squares - before.squares);
    const double expected = 1.5 * (after.norm - before.norm);
    const double rounding =
        1e-3 * (before.norm + after.norm + per_square * (before.squares + after.squares));
    if (after.norm < 0.7 * before.norm) {
      RC_ASSERT(of_norm <= 0.2 * expected + rounding);
    } else if (after.norm <= 100 * before.norm) {
      RC_ASSERT(std::abs(of_norm - expected) <= rounding);
    } else {
      RC_ASSERT(before.norm == 0 || of_norm > 0);
    }
    if (*rc::gen::arbitrary<bool>()) {
      loads.keep();
    } else {
      loads.forget();
      entry_of[rank] = source;
      if (!alone) entry_of[other] = target;
    }
  }
}

// Of each rank, whether a link of the routes of its traffic carries so much.
template <typename Loads>
void check_marked(Scene& scene, Loads& loads) {
  EntryFlows flows(scene.flows, scene.plan.entries());
  const std::vector<std::uint32_t>& entry_of = scene.entry_of;
  for (Rank rank = 0; rank < scene.graph.ranks(); ++rank)
    loads.put_down(flows.of(rank, entry_of.data()), entry_of[rank], 0.5F);
  loads.keep();
  // Between two loads, so that rounding decides nothing.
  const std::vector<float> carried = scene.loads();
  std::vector<float> sorted = carried;
  std::sort(sorted.begin(), sorted.end());
  std::vector<float> between;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] > 1.01F * sorted[i - 1]) between.push_back((sorted[i - 1] + sorted[i]) / 2);
  }
  if (between.empty()) between.push_back(1);
  const float least = *rc::gen::elementOf(between);
  loads.mark(least);
  std::vector<Link> route;
  for (Rank rank = 0; rank < scene.graph.ranks(); ++rank) {
    route.clear();
    for (const Flow& flow : scene.flows.of(rank)) {
      const Node here = scene.plan.node(entry_of[rank]);
      const Node there = scene.plan.node(entry_of[flow.partner]);
      if (flow.out > 0) scene.topology->route(here, there, route);
      if (flow.in > 0) scene.topology->route(there, here, route);
    }
    const bool meets =
        std::any_of(route.begin(), route.end(), [&](Link link) { return carried[link] >= least; });
    RC_ASSERT(loads.meets_marked(flows.of(rank, entry_of.data()), entry_of[rank]) == meets);
  }
}

RC_GTEST_PROP(LineLoadsProperty, KnowWhoUsesMarkedLinks, ()) {
  Scene scene(any_long_grid());
  std::optional<LineLoads> loads = LineLoads::of(*scene.topology, scene.plan);
  check_marked(scene, *loads);
}

RC_GTEST_PROP(RouteLoadsProperty, KnowWhoUsesMarkedLinks, ()) {
  Scene scene(test::any_topology());
  test::weigh_some_links(*scene.topology);
  RouteLoads loads(*scene.topology, scene.plan);
  check_marked(scene, loads);
}

RC_GTEST_PROP(LineLoadsProperty, AreThoseOfTheRoutes, ()) {
  Scene scene(*rc::gen::arbitrary<bool>() ? any_long_grid()
                                          : std::make_unique<GridTopology>(test::any_grid_spec()));
  std::optional<LineLoads> loads = LineLoads::of(*scene.topology, scene.plan);
  RC_ASSERT(loads.has_value());
  check_against_routes(scene, *loads);
}

RC_GTEST_PROP(RouteLoadsProperty, AreThoseOfTheRoutes, ()) {
  Scene scene(test::any_topology());
  test::weigh_some_links(*scene.topology);
  RouteLoads loads(*scene.topology, scene.plan);
  check_against_routes(scene, loads);
}

// Else the same task would be placed in another way on another processor.
RC_GTEST_PROP(LineLoadsProperty, AreTheSameOnAnyProcessor, ()) {
  Scene scene(any_long_grid());
  std::optional<LineLoads> fast = LineLoads::of(*scene.topology, scene.plan);
  std::optional<LineLoads> plain = LineLoads::of(*scene.topology, scene.plan, true);
  SmoothTime time = scene.time();
  time.begin(std::max(1.0, scene.sums().norm));
  EntryFlows flows(scene.flows, scene.plan.entries());
  const std::uint32_t* entry_of = scene.entry_of.data();
  for (Rank rank = 0; rank < scene.graph.ranks(); ++rank) {
    for (LineLoads* loads : {&*fast, &*plain})
      loads->put_down(flows.of(rank, entry_of), entry_of[rank], 0.5F);
    RC_ASSERT(time.value(fast->change(time)) == time.value(plain->change(time)));
    if (rank % 3 > 0) continue;
    fast->keep();
    plain->keep();
  }
  RC_ASSERT(fast->sums().squares == plain->sums().squares);
}

TEST(LineLoads, AreForLinesOfUpTo64Nodes) {
  for (const unsigned extent : {64U, 65U}) {
    const auto ring =
        parse_topology("[topology]\nkind = \"torus\"\nshape = [" + std::to_string(extent) +
                           "]\nnodes = \"n[0-" + std::to_string(extent - 1) + "]\"\n",
                       "ring.toml");
    const Allocation nodes = {{0, 1}, {30, 1}, {63, 1}};
    const SeatPlan plan(nodes, 3);
    std::optional<LineLoads> loads = LineLoads::of(*ring, plan);
    ASSERT_EQ(loads.has_value(), extent == 64);
    if (!loads) continue;
    // Over 30 links up, and over 31 down: past the end of the line.
    const CommGraph graph(Traffic{3, {{0, 1, 640}, {1, 2, 64}, {2, 1, 64}}, {}});
    const Flows flows(graph, 64);
    EntryFlows by_entry(flows, plan.entries());
    const std::vector<std::uint32_t> entry_of = {0, 1, 2};
    for (Rank rank = 0; rank < 3; ++rank)
      loads->put_down(by_entry.of(rank, entry_of.data()), rank, 0.5F);
    loads->keep();
    EXPECT_EQ(loads->sums().sum, 30 * 10 + 2 * 31);
    EXPECT_EQ(loads->sums().most, 11);
  }
}

TEST(LineLoads, AreForGridsWhoseLinksAreAlike) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4, 4]\nnodes = \"n[0-15]\"\n", "torus.toml");
  const Allocation nodes = {{0, 1}, {5, 1}};
  const SeatPlan plan(nodes, 2);
  EXPECT_TRUE(LineLoads::of(*torus, plan).has_value());
  LinkUse use;
  use.bytes_per_second.resize(torus->links());
  use.bytes_per_second[0] = kAssumedBandwidth / 2;
  weigh_links(*torus, use, {});
  EXPECT_FALSE(LineLoads::of(*torus, plan).has_value());
  const auto flat = make_flat_topology({"a", "b"});
  EXPECT_FALSE(LineLoads::of(*flat, SeatPlan({{0, 1}, {1, 1}}, 2)).has_value());
}

}  // namespace
}  // namespace tofa
