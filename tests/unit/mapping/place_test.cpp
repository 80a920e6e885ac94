// SPDX-License-Identifier: BSD-3-Clause
// What must hold for every placement by every mapper: slots respected, deterministic, never worse
// than the default; and what it must achieve on the papers' cases.
#include "tofa/place.hpp"
#include "mapping/mapper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/random_cases.hpp"

#include "tofa/error.hpp"
#include "tofa/graph_io.hpp"

namespace tofa::place_test {
namespace {

const std::string kCases = std::string(TOFA_FIXTURES) + "/cases/";

struct AnyCase {
  std::unique_ptr<Topology> topology = test::any_topology();
  Allocation allocation = test::any_allocation(*topology);
  CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 40U));
  OutageMap outages = test::any_outages(*topology);
  PlaceOptions options = test::options_with_work(0.003);

  AnyCase() {
    options.objective = *rc::gen::elementOf(all_objectives());
    options.mapper = *rc::gen::elementOf(mapper_names());
  }
  Placement run() const { return place(graph, *topology, outages, allocation, options); }
};

RC_GTEST_PROP(PlaceProperty, EveryMapperRespectsTheSlots, ()) {
  const AnyCase any;
  const Placement placement = any.run();
  RC_ASSERT(placement.mapping.size() == any.graph.ranks());
  std::vector<unsigned> left(any.topology->nodes());
  for (const auto& [node, slots] : any.allocation) left[node] = slots;
  for (const Node node : placement.mapping) RC_ASSERT(left[node]-- > 0U);
}

RC_GTEST_PROP(PlaceProperty, SameInputAndSeedGiveTheSameMapping, ()) {
  const AnyCase any;
  RC_ASSERT(any.run().mapping == any.run().mapping);
}

RC_GTEST_PROP(PlaceProperty, AutoIsNeverWorseThanAnyMapper, ()) {
  AnyCase any;
  any.options = test::options_with_work(0.02);
  any.options.mapper = "auto";
  any.options.objective = *rc::gen::elementOf(all_objectives());
  const auto cost = [&any] { return any.run().chosen_cost; };
  const double best = cost();
  for (const char* mapper : {"linear", "by-node", "greedy", "scotch", "tofa"}) {
    any.options.mapper = mapper;
    RC_ASSERT(best <= cost());
  }
}

RC_GTEST_PROP(PlaceProperty, AutoIsNeverWorseThanListOrderHoweverShortTheTime, ()) {
  AnyCase any;
  any.options.mapper = "auto";
  any.options.objective = *rc::gen::elementOf(all_objectives());
  any.options.time_limit_seconds = *rc::gen::element(1e-9, 1e-4, 1e-3, 0.01);
  const double cost = any.run().chosen_cost;
  any.options.mapper = "linear";  // on nodes that are not certain to fail
  RC_ASSERT(cost <= any.run().chosen_cost);
}

class PublicCases : public testing::Test {
 protected:
  Placement run(const std::string& graph, const std::string& mapper, Objective objective,
                const std::string& outages = "") {
    OutageMap map;
    if (!outages.empty()) map = OutageMap(read_outages(kCases + outages), *torus_);
    Allocation all;
    for (Node node = 0; node < torus_->nodes(); ++node) all.push_back({node, 1});
    PlaceOptions options = test::options_with_work(0.1);
    options.mapper = mapper;
    options.objective = objective;
    return place(CommGraph(read_traffic(kCases + graph)), *torus_, map, all, options);
  }

  std::unique_ptr<Topology> torus_ = read_topology(kCases + "torus-8x8x8.toml");
};

TEST_F(PublicCases, LinearIsWhatThePapersReport) {
  const auto hops = [this](const std::string& graph) {
    return run(graph, "linear", parse_objective("hop-bytes")).chosen.average_hops_per_byte;
  };
  EXPECT_NEAR(hops("cg64.bytes.mtx"), 2.839, 0.001);
  EXPECT_NEAR(hops("dt85bh.bytes.mtx"), 4.786, 0.001);
  EXPECT_NEAR(hops("lmp64.bytes.mtx"), 2.667, 0.001);
  EXPECT_NEAR(hops("s3d512p.bytes.mtx"), 1.0, 0.001);
}

TEST_F(PublicCases, AutoBeatsPlainScotchByAQuarterOnIrregularTraffic) {
  for (const char* graph : {"cg64.bytes.mtx", "dt85bh.bytes.mtx"}) {
    const double scotch =
        run(graph, "scotch", parse_objective("completion-time")).chosen.average_hops_per_byte;
    const double best =
        run(graph, "auto", parse_objective("completion-time")).chosen.average_hops_per_byte;
    EXPECT_LE(best, 0.75 * scotch) << graph;
  }
}

TEST_F(PublicCases, NoRankAndNoRouteTouchesASuspectNodeWhenThereIsRoom) {
  for (const char* outages : {"outages-8a.txt", "outages-16a.txt", "outages-16b.txt"}) {
    for (const char* graph : {"cg64.bytes.mtx", "dt85bh.bytes.mtx", "lmp64.bytes.mtx"}) {
      EXPECT_EQ(
          run(graph, "auto", parse_objective("completion-time"), outages).chosen.abort_probability,
          0)
          << graph << " with " << outages;
    }
  }
}

TEST(Place, RoutesOfLightPairsAvoidDeadNodesToo) {
  // A grid that exchanges megabytes, and collectives of a few bytes between ranks that are far
  // apart in it.
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4, 2, 2]\nnodes = \"n[00-15]\"\n", "torus.toml");
  const CommGraph graph(read_traffic(kCases + "irregular12"));
  const OutageMap outages({{"n02", 1, -1}, {"n09", 1, -1}}, *torus);
  Allocation all;
  for (Node node = 0; node < torus->nodes(); ++node) all.push_back({node, 1});
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    PlaceOptions options = test::options_with_work(0.1);
    options.seed = seed;
    const Metrics chosen = place(graph, *torus, outages, all, options).chosen;
    EXPECT_EQ(chosen.abort_probability, 0) << "seed " << seed;
    EXPECT_LT(chosen.average_hops_per_byte, 1.2) << "seed " << seed;
  }
}

// Work for minutes in half a second, for ranks with a node each and for groups of them: the answer
// is still a good one, and says that it was hurried.
TEST(Place, SaysWhenTheClockMadeTheSearchShorter) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [8, 8, 8]\nnodes = \"n[000-511]\"\n", "torus.toml");
  const CommGraph graph(read_traffic(kCases + "rgg512.bytes.mtx"));
  for (const unsigned slots : {1U, 4U}) {
    Allocation all;
    for (Node node = 0; node < torus->nodes(); ++node) all.push_back({node, slots});
    PlaceOptions options{.objective = parse_objective("hop-bytes")};
    options.time_limit_seconds = 0.5;
    options.work = PlannedWork{300};
    const Placement placement = place(graph, *torus, {}, all, options);
    EXPECT_TRUE(placement.out_of_time) << slots;
    EXPECT_LT(placement.chosen_cost, 0.8 * placement.linear_cost) << slots;
  }
}

TEST(Place, TheChosenMapperIsNamed) {
  const auto flat = make_flat_topology({"a", "b"});
  const CommGraph pair = CommGraph::neighbours_in_rank_order(2);
  EXPECT_EQ(place(pair, *flat, {}, {{0, 1}, {1, 1}}, {.mapper = "greedy"}).origin, "greedy");
}

TEST(Place, PartnersShareANodeThatHasSlots) {
  const auto flat = make_flat_topology({"a", "b"});
  const CommGraph graph(Traffic{4, {{0, 3, 100}, {1, 2, 100}}, ""});
  const Mapping mapping = place(graph, *flat, {}, {{0, 2}, {1, 2}}, {}).mapping;
  EXPECT_EQ(mapping[0], mapping[3]);
  EXPECT_EQ(mapping[1], mapping[2]);
}

RC_GTEST_PROP(PlaceProperty, NoMapperUsesADeadNodeWhenTheOthersHaveTheSlots, ()) {
  AnyCase any;
  std::uint64_t alive = 0;
  for (const auto& [node, slots] : any.allocation) {
    if (any.outages.probability(node) < 1) alive += slots;
  }
  std::uint64_t on_dead = 0;
  for (const Node node : any.run().mapping) on_dead += any.outages.probability(node) >= 1;
  RC_ASSERT(on_dead == 0 || any.graph.ranks() > alive);
}

TEST(Place, RequestsThatCannotBeMetSayWhy) {
  const auto flat = make_flat_topology({"a", "b"});
  const CommGraph graph = CommGraph::neighbours_in_rank_order(3);
  const auto message = [&](const Allocation& allocation,
                           const PlaceOptions& options) -> std::string {
    try {
      place(graph, *flat, {}, allocation, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "(accepted)";
  };
  EXPECT_EQ(message({{0, 1}, {1, 1}}, {}),
            "3 ranks need as many slots, but the 2 nodes of the allocation have 2; add nodes or "
            "slots per node");
  EXPECT_THAT(message({{0, 2}, {0, 2}}, {}), testing::HasSubstr("twice"));
  EXPECT_EQ(message({{0, 3}}, {.mapper = "best"}),
            "unknown mapper \"best\"; known are linear, by-node, random, greedy, fold, bit-linear, "
            "geometric, components, bisect, group, multisect, scotch, tofa, auto");
}

}  // namespace
}  // namespace tofa::place_test
