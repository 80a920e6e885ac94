// SPDX-License-Identifier: BSD-3-Clause
// What must hold for placements among nodes that may fail: never worse than the default on the
// value reported, never worse for knowing more, and detours where they are worth it, whatever the
// outages are.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/neighbours_in_space.hpp"
#include "support/random_cases.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/place.hpp"

namespace tofa {
namespace {

const std::string kCases = std::string(TOFA_FIXTURES) + "/cases/";

Allocation one_slot_each(const Topology& topology) {
  Allocation all;
  for (Node node = 0; node < topology.nodes(); ++node) all.push_back({node, 1});
  return all;
}

OutageMap outages_of(const Topology& topology, const std::vector<double>& probability) {
  OutageList list;
  for (Node node = 0; node < topology.nodes(); ++node) {
    list.push_back({topology.name(node), probability[node], -1});
  }
  return OutageMap(list, topology);
}

// Kinds of outages that clusters show: none, one node, some, all alike, all different; tiny, usual,
// large and certain.
std::vector<double> any_probabilities(Node nodes) {
  const auto value = [] {
    return *rc::gen::element(1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.02, 0.3, 0.99, 1.0);
  };
  std::vector<double> result(nodes);
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      break;
    case 1:
      result[*rc::gen::inRange<Node>(0, nodes)] = value();
      break;
    case 2: {
      const double p = value();
      for (double& entry : result) entry = *rc::gen::inRange(0, 10) < 3 ? p : 0;
      break;
    }
    case 3:
      std::fill(result.begin(), result.end(), value());
      break;
    default:
      for (double& entry : result) entry = value();
  }
  return result;
}

struct AnyTask {
  std::unique_ptr<Topology> topology = test::any_topology();
  Allocation allocation = test::any_allocation(*topology);
  CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 40U));
  std::vector<double> probability = any_probabilities(topology->nodes());
  PlaceOptions options = test::options_with_work(0.005);

  Placement run() const {
    return place(graph, *topology, outages_of(*topology, probability), allocation, options);
  }
};

RC_GTEST_PROP(OutagePlacementProperty, NeverAboveOtherMappersOnTheValueReported, ()) {
  AnyTask any;
  any.options.abort_cost = *rc::gen::element(0.0, 1.0, 20.0, 1000.0);
  const Placement best = any.run();
  // A node that is certain to fail is avoided at any price, and list order may have one.
  if (best.linear.abort_probability < 1) RC_ASSERT(best.chosen_cost <= best.linear_cost);
  for (const char* mapper : {"linear", "by-node", "greedy", "scotch"}) {
    any.options.mapper = mapper;
    RC_ASSERT(best.chosen_cost <= any.run().chosen_cost);
  }
}

RC_GTEST_PROP(OutagePlacementProperty, EqualRisksNeverMakeBothCommunicationAndRiskWorse, ()) {
  AnyTask any;
  const double p = *rc::gen::element(1e-9, 1e-3, 0.02, 0.3, 0.9);
  any.probability.assign(any.topology->nodes(), 0);
  const Placement without = any.run();
  any.probability.assign(any.topology->nodes(), p);
  const Placement with = any.run();
  const Metrics before = evaluate(any.graph, *any.topology,
                                  outages_of(*any.topology, any.probability), without.mapping);
  RC_ASSERT(communication_time(with.chosen) <= communication_time(before) ||
            with.chosen.abort_probability <= before.abort_probability);
}

// On machines with levels a mapper takes most of the time for itself, whether nodes may fail or
// not.
TEST(OutagePlacement, EqualRisksLeaveAsMuchWorkOnMachinesWithLevels) {
  std::string text =
      "[topology]\nkind = \"tree\"\n[[switch]]\nname = \"top\"\nswitches = \"t[0-3]\"\n";
  for (int leaf = 0; leaf < 4; ++leaf) {
    text += fmt::format("[[switch]]\nname = \"t{}\"\nnodes = \"n[{}-{}]\"\n", leaf, 10 * leaf,
                        10 * leaf + 9);
  }
  const auto tree = parse_topology(text, "t.toml");
  const OutageMap risky = outages_of(*tree, std::vector<double>(tree->nodes(), 1e-3));
  for (unsigned step = 1; step <= 12; ++step) {
    std::vector<TrafficEntry> entries;
    for (Rank rank = 0; rank < 36; ++rank) {
      entries.push_back({rank, (rank * 7 + step) % 36, 100 + rank});
      entries.push_back({rank, (rank * 5 + 3 * step) % 36, 50 + step * rank});
      entries.push_back({rank, (rank * rank + step) % 36, 30});
    }
    const CommGraph graph(Traffic{36, entries, ""});
    const PlaceOptions options = test::options_with_work(0.005);
    const Placement without = place(graph, *tree, {}, one_slot_each(*tree), options);
    const Placement with = place(graph, *tree, risky, one_slot_each(*tree), options);
    const Metrics before = evaluate(graph, *tree, risky, without.mapping);
    EXPECT_LE(with.chosen_cost, objective_value(parse_objective("completion-time"), before))
        << step;
  }
}

RC_GTEST_PROP(OutagePlacementProperty, AHigherProbabilityNeverLowersTheCostOfAMapping, ()) {
  // Without virtual hosts: of two of them, an estimate for their host makes what was counted twice
  // a common cause.
  AnyTask any{.topology = test::any_network()};
  const Mapping mapping = any.run().mapping;
  const Node node = test::any_node(*any.topology);
  const auto metrics = [&] {
    return evaluate(any.graph, *any.topology, outages_of(*any.topology, any.probability), mapping);
  };
  const Metrics before = metrics();
  double& p = any.probability[node];
  p = std::min(1.0, p + *rc::gen::element(1e-12, 1e-6, 0.01, 0.5, 1.0));
  // What is left of survival is a product over nodes, taken from 1 and rounded: the less is left,
  // the more that matters.
  const double rounding = 1e-12 + 1e-14 / std::max(1 - before.abort_probability, 1e-12);
  RC_ASSERT(objective_value(parse_objective("completion-time"), metrics()) >=
            objective_value(parse_objective("completion-time"), before) * (1 - rounding));
}

TEST(OutagePlacement, ATinyProbabilityIsNotWorthADetour) {
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [40]\nnodes = \"n[00-39]\"\n", "t.toml");
  const CommGraph graph(Traffic{4, {{0, 1, 100}, {1, 2, 100}, {2, 3, 100}, {3, 0, 100}}, ""});
  const Allocation nodes = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {25, 1}};
  const PlaceOptions options = test::options_with_work(0.01);
  const double unaware = place(graph, *ring, {}, nodes, options).chosen_cost;
  const OutageMap suspect({{"n03", 1e-12, -1}}, *ring);
  const Placement aware = place(graph, *ring, suspect, nodes, options);
  EXPECT_LE(aware.chosen_cost, aware.linear_cost);
  EXPECT_NEAR(aware.chosen_cost, unaware, 1e-6);
  const OutageMap certain({{"n03", 1, -1}}, *ring);
  EXPECT_EQ(place(graph, *ring, certain, nodes, options).chosen.abort_probability, 0);
}

class OutagesOnTheTorus : public testing::Test {
 protected:
  Placement run(const std::string& graph, const OutageMap& outages,
                const PlaceOptions& options = test::options_with_work(0.05)) const {
    return place(CommGraph(read_traffic(kCases + graph)), *torus_, outages, one_slot_each(*torus_),
                 options);
  }

  std::unique_ptr<Topology> torus_ = read_topology(kCases + "torus-8x8x8.toml");
};

TEST_F(OutagesOnTheTorus, AllNodesAlikeCostNoCommunication) {
  const OutageMap all = outages_of(*torus_, std::vector<double>(torus_->nodes(), 1e-3));
  const Placement with = run("cg64.bytes.mtx", all);
  const Placement without = run("cg64.bytes.mtx", {});
  EXPECT_LE(communication_time(with.chosen), 1.01 * communication_time(without.chosen));
}

TEST_F(OutagesOnTheTorus, ManySlightlySuspectNodesAreNoReasonForLongWays) {
  std::vector<double> third(torus_->nodes());
  for (Node node = 0; node < torus_->nodes(); ++node) third[node] = node * 7 % 10 < 3 ? 1e-3 : 0;
  const OutageMap outages = outages_of(*torus_, third);
  const Placement chosen = run("lmp64.bytes.mtx", outages);
  PlaceOptions blind = test::options_with_work(0.05);
  blind.objective = parse_objective("hop-bytes");
  const Placement other = run("lmp64.bytes.mtx", outages, blind);
  EXPECT_LE(chosen.chosen_cost, objective_value(parse_objective("completion-time"), other.chosen));
}

TEST(PublishedMapper, WeighsRoutesInsideAFaultFreeRunToo) {
  // Six nodes in a row are free of faults, but the way between the first and the last of them leads
  // over the two that are not. Listing 1.1 weighs distances by equation 1 there as well.
  const auto ring =
      parse_topology("[topology]\nkind = \"torus\"\nshape = [8]\nnodes = \"n[0-7]\"\n", "t.toml");
  Traffic traffic{6, {}, ""};
  for (Rank rank = 0; rank < 6; ++rank) traffic.entries.push_back({rank, (rank + 1) % 6, 100});
  const OutageMap outages({{"n6", 0.02, -1}, {"n7", 0.02, -1}}, *ring);
  PlaceOptions options = test::options_with_work(0.01);
  options.mapper = "tofa";
  for (options.seed = 1; options.seed <= 9; ++options.seed) {
    const Metrics chosen =
        place(CommGraph(traffic), *ring, outages, one_slot_each(*ring), options).chosen;
    EXPECT_EQ(chosen.abort_probability, 0) << "seed " << options.seed;
    EXPECT_EQ(chosen.fault_weighted_cost, 1000) << "seed " << options.seed;
  }
}

TEST(PublishedMapper, ServesMachinesOfAnySize) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [16, 16, 16]\nnodes = \"n[0000-4095]\"\n", "t.toml");
  // No run of fault-free nodes is long enough, so that all nodes are the target.
  std::vector<double> probability(torus->nodes());
  for (Node node = 9; node < torus->nodes(); node += 30) probability[node] = 0.02;
  PlaceOptions options = test::options_with_work(0.1);
  options.mapper = "tofa";
  const Placement placement =
      place(CommGraph(read_traffic(kCases + "rgg512.bytes.mtx")), *torus,
            outages_of(*torus, probability), one_slot_each(*torus), options);
  EXPECT_LT(placement.chosen.fault_weighted_cost, placement.linear.fault_weighted_cost);
}

TEST(OutagePlacement, LargeMachinesAvoidSuspectNodesAndStayBelowTheDefault) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [16, 16, 16]\nnodes = \"n[0000-4095]\"\n", "t.toml");
  std::vector<double> probability(torus->nodes());
  for (Node node = 5; node < torus->nodes(); node += 97) probability[node] = 0.02;
  const OutageMap outages = outages_of(*torus, probability);
  const CommGraph graph(read_traffic(kCases + "lmp64.bytes.mtx"));
  const Allocation all = one_slot_each(*torus);
  PlaceOptions options = test::options_with_work(0.2);
  const Placement best = place(graph, *torus, outages, all, options);
  EXPECT_EQ(best.chosen.abort_probability, 0);
  for (const char* mapper : {"linear", "by-node", "greedy", "scotch"}) {
    options.mapper = mapper;
    EXPECT_LE(best.chosen_cost, place(graph, *torus, outages, all, options).chosen_cost) << mapper;
  }
}

// Neighbours lie side by side in list order, too, but on a node that may fail.
TEST(OutagePlacement, WeightsOfEquation1AreAReasonToGoOn) {
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [16]\nnodes = \"n[0-15]\"\n", "ring.toml");
  const OutageMap outages({{"n1", 0.5, -1}}, *ring);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  const Placement placement = place(graph, *ring, outages, one_slot_each(*ring),
                                    {.objective = parse_objective("fault-weighted")});
  EXPECT_EQ(placement.chosen_cost, static_cast<double>(graph.total_bytes()));
}

// With so little work that two lanes share one arrangement, and for the most part of it candidates.
TEST(OutagePlacement, ShortSearchesLeaveNodesThatAreCertainToFail) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [8, 8, 10]\nnodes = \"n[0-639]\"\n", "torus.toml");
  std::vector<double> probability(640);
  for (const Node dead : {101, 222, 333, 444, 555}) probability[dead] = 1;
  for (const Node suspect : {17, 38, 59, 160, 271, 382, 493}) probability[suspect] = 0.1;
  const CommGraph graph = test::neighbours_in_space(512, 26);
  const auto abort_probability = [&](double work) {
    return place(graph, *torus, outages_of(*torus, probability), one_slot_each(*torus),
                 test::options_with_work(work))
        .chosen.abort_probability;
  };
  for (const double work : {0.005, 0.01, 0.02, 0.1}) EXPECT_EQ(abort_probability(work), 0) << work;
}

}  // namespace
}  // namespace tofa
