// SPDX-License-Identifier: BSD-3-Clause
// What a step says that it changed must be what it changed, in any grid and zone, after any other
// steps; without heat nothing may get worse, and where nothing can be better a rank knows it.
#include "mapping/search/heat_bath.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>

#include "support/moves_check.hpp"
#include "support/random_traffic.hpp"

namespace tofa {
namespace {

RC_GTEST_PROP(HeatBathProperty, ChangesWhatItSays, ()) {
  const test::AnyGridTask any;
  const SearchSpace& space = any.space();
  Seating seating = any.linear_seating();
  const std::vector<std::uint8_t> zone_of = any.any_zones();
  const bool zones = *rc::gen::arbitrary<bool>();
  const Zone zone = test::make_zone(space, seating, zones ? &zone_of : nullptr);
  auto box = HeatBath::find_box(space, zone);
  RC_PRE(box.has_value() && (!zones || !zone.ranks.empty()));

  HeatBath bath(space, zone, std::move(*box), RandomSource(*rc::gen::arbitrary<std::uint64_t>()),
                seating);
  test::check_moves(any, zone, bath, seating, {1000});
}

std::unique_ptr<Topology> make_torus(std::string_view shape, unsigned nodes) {
  return parse_topology(fmt::format("[topology]\nkind = \"torus\"\nshape = [{}]\n"
                                    "nodes = \"n[0-{}]\"\n",
                                    shape, nodes - 1),
                        "torus.toml");
}
std::unique_ptr<Topology> make_ring(unsigned length) {
  return make_torus(fmt::to_string(length), length);
}

Allocation all_nodes(const Topology& topology, unsigned slots) {
  Allocation allocation;
  for (Node node = 0; node < topology.nodes(); ++node) allocation.push_back({node, slots});
  return allocation;
}

// At a temperature each seat is taken as often as its cost says: two ranks on a ring, so that seats
// at every distance but none cost as many hops.
TEST(HeatBath, DrawsSeatsAsOftenAsTheirCostSays) {
  const auto topology = make_ring(16);
  const Allocation allocation = all_nodes(*topology, 1);
  const CommGraph graph(Traffic{2, {{0, 1, 1}}, ""});
  const PlaceOptions options;
  Trace trace(options);
  const OutageMap outages;
  const MappingTask task =
      test::task_of(graph, *topology, outages, allocation, trace, parse_objective("hop-bytes"));
  const SearchSpace space(task);
  Seating seating(space.plan(), map_linear(task));
  HeatBath bath(space, {}, *HeatBath::find_box(space, {}), RandomSource(1), seating);
  constexpr int steps = 100'000;
  constexpr float temperature = 2;
  std::array<int, 9> times{};
  for (int step = 0; step < steps; ++step) {
    bath.step(temperature);
    ++times[space.cost().between(seating.entry(0), seating.entry(1))];
  }
  EXPECT_EQ(times[0], 0);
  // Blocks that cost four temperatures more than here are left out: only near ones can be compared.
  for (unsigned hops = 2; hops <= 4; ++hops) {
    EXPECT_NEAR(static_cast<double>(times[hops]) / times[hops - 1], std::exp(-1 / temperature),
                0.06)
        << hops;
  }
}

TEST(HeatBath, IsForSmallGridsWhereRanksMayGoAnywhere) {
  const CommGraph graph(Traffic{2, {{0, 1, 1}}, ""});
  const PlaceOptions options;
  Trace trace(options);
  const auto serves = [&](const Topology& topology, unsigned slots, const OutageMap& outages) {
    const Allocation allocation = all_nodes(topology, slots);
    const MappingTask task = test::task_of(graph, topology, outages, allocation, trace,
                                           parse_objective("completion-time"));
    const SearchSpace space(task);
    return HeatBath::find_box(space, {}).has_value();
  };
  const auto ring = make_ring(16);
  EXPECT_TRUE(serves(*ring, 1, {}));
  EXPECT_TRUE(serves(*ring, 2, {}));
  EXPECT_FALSE(serves(*ring, 2, OutageMap({{"n3", 0.5, -1}}, *ring)));
  // For a rank there are as many numbers as a dimension is long.
  EXPECT_FALSE(serves(*make_ring(2'000), 1, {}));
}

// An exchange changes a number for every coordinate of every partner.
TEST(HeatBath, TakesLongerWhereDimensionsAreLongAndPartnersMany) {
  const PlaceOptions options;
  Trace trace(options);
  const OutageMap outages;
  const auto moves = [&](const CommGraph& graph, std::string_view shape) {
    const auto topology = make_torus(shape, 256);
    const Allocation allocation = all_nodes(*topology, 1);
    const MappingTask task =
        test::task_of(graph, *topology, outages, allocation, trace, parse_objective("hop-bytes"));
    const SearchSpace space(task);
    Seating seating(space.plan(), map_linear(task));
    const HeatBath bath(space, {}, *HeatBath::find_box(space, {}), RandomSource(1), seating);
    return static_cast<double>(bath.moves_of_a_step());
  };
  const CommGraph few(test::random_traffic(256, 3));
  const CommGraph many(test::random_traffic(256, 30));
  EXPECT_GT(moves(few, "4, 64"), 1.3 * moves(few, "16, 16"));
  EXPECT_GT(moves(few, "16, 16"), 1.1 * moves(few, "4, 4, 4, 4"));
  EXPECT_GT(moves(many, "4, 64"), 1.7 * moves(many, "16, 16"));
}

}  // namespace
}  // namespace tofa
