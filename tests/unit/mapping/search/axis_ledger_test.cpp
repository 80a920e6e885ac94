// SPDX-License-Identifier: BSD-3-Clause
// A ledger must say of every move what adding up over all partners says, after any other moves.
#include "mapping/search/axis_ledger.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mapping/search/ledger_rule.hpp"
#include "support/any_grid_task.hpp"

namespace tofa {
namespace {

std::int64_t cost_of(const SearchSpace& space, const Seating& seating, Rank rank,
                     std::uint32_t entry) {
  std::int64_t sum = 0;
  for (const auto& [partner, weight] : space.partners(rank)) {
    sum += std::int64_t{weight} * space.cost().between(entry, seating.entry(partner));
  }
  return sum;
}

// After moves, of all ranks, not only of those that moved.
void check_all(const SearchSpace& space, const Seating& seating, const AxisLedger& ledger) {
  const auto entries = static_cast<std::uint32_t>(space.plan().entries());
  for (const Rank rank : space.active_ranks()) {
    const std::uint32_t from = seating.entry(rank);
    const std::uint32_t to = *rc::gen::inRange<std::uint32_t>(0, entries);
    RC_ASSERT(space.axes()->distance(from, to) == space.cost().between(from, to));
    RC_ASSERT(ledger.change(rank, from, to) ==
              cost_of(space, seating, rank, to) - cost_of(space, seating, rank, from));
  }
}

void move_some_and_check(const SearchSpace& space, Seating& seating, AxisLedger& ledger) {
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  check_all(space, seating, ledger);
  for (int i = 0; i < 50; ++i) {
    const auto [rank, target] = space.draw(seating, random);
    const std::uint32_t from = seating.entry(rank);
    const std::uint32_t to = space.plan().entry_of(target);
    const Rank other = seating.occupant(target);
    seating.swap_to(rank, target);
    ledger.move(rank, from, to);
    if (other != kNoRank) ledger.move(other, to, from);
    check_all(space, seating, ledger);
  }
}

// Several numbers are added at once, which must be no more than those that are meant.
RC_GTEST_PROP(AxisLedgerProperty, AgreesWithAddingUpOverPartners, ()) {
  using Shape = std::vector<unsigned>;
  const auto longer =
      *rc::gen::element(Shape{}, Shape{19}, Shape{9, 17}, Shape{8, 3}, Shape{7, 16});
  const test::AnyGridTask any(longer.empty() ? test::any_grid_spec() : test::any_grid_spec(longer));
  const SearchSpace& space = any.space();
  RC_ASSERT(space.axes().has_value());
  Seating seating = any.linear_seating();
  AxisLedger ledger = *rc::gen::arbitrary<bool>()
                          ? AxisLedger(space, seating, space.active_ranks())
                          : AxisLedger::plain(space, seating, space.active_ranks());
  move_some_and_check(space, seating, ledger);
}

// Nodes of whatever network, with so many slots each that all talk to several others.
class CrowdedNetwork {
 public:
  CrowdedNetwork(std::unique_ptr<Topology> network, unsigned slots) : network_(std::move(network)) {
    for (Node node = 0; node < network_->nodes(); ++node) allocation_.push_back({node, slots});
    Traffic traffic;
    traffic.ranks = network_->nodes() * slots;
    for (Rank rank = 0; rank < traffic.ranks; ++rank) {
      for (const Rank step : {1U, 3U, 7U})
        traffic.entries.push_back({rank, (rank + step) % traffic.ranks, 10 * step + rank});
    }
    traffic.normalise();
    graph_ = CommGraph(traffic);
  }

  MappingTask task() {
    return test::task_of(graph_, *network_, outages_, allocation_, trace_,
                         parse_objective("hop-bytes"));
  }

 private:
  std::unique_ptr<Topology> network_;
  Allocation allocation_;
  CommGraph graph_;
  PlaceOptions options_;
  Trace trace_{options_};
  OutageMap outages_;
};

RC_GTEST_PROP(AxisLedgerProperty, AgreesOnMachinesThatAreNoGrids, ()) {
  CrowdedNetwork job(test::any_network(), 6);
  const MappingTask task = job.task();
  const SearchSpace space(task);
  if (!space.axes()) return;  // few nodes of few partners
  Seating seating(space.plan(), map_linear(task));
  AxisLedger ledger(space, seating, space.active_ranks());
  move_some_and_check(space, seating, ledger);
}

TEST(AxisLedger, ServesOffGridsWhereManyShareFewNodes) {
  const auto serves = [](Node nodes, unsigned slots) {
    std::vector<std::string> names;
    for (Node node = 0; node < nodes; ++node) names.push_back("n" + std::to_string(node));
    CrowdedNetwork job(make_flat_topology(names), slots);
    const MappingTask task = job.task();
    EXPECT_EQ(ledger_serves(task), SearchSpace(task).axes().has_value());
    return ledger_serves(task);
  };
  EXPECT_TRUE(serves(16, 8));
  EXPECT_TRUE(serves(128, 4));
  EXPECT_FALSE(serves(128, 2));
  EXPECT_FALSE(serves(129, 4));
}

// The sum over many heavy partners must not run out of bits.
TEST(AxisLedger, HoldsWhatARankWithManyPartnersCosts) {
  const auto topology = parse_topology(
      "[topology]\nkind = \"mesh\"\nshape = [4096]\nnodes = \"n[0-4095]\"\n", "mesh.toml");
  Allocation allocation;
  for (Node node = 0; node < 4096; ++node) allocation.push_back({node, 1});
  Traffic traffic;
  traffic.ranks = 4096;
  for (Rank rank = 1; rank < 4096; ++rank) traffic.entries.push_back({0, rank, Bytes{1} << 40U});
  traffic.normalise();
  const CommGraph graph(traffic);
  const PlaceOptions options;
  Trace trace(options);
  const OutageMap outages;
  const MappingTask task =
      test::task_of(graph, *topology, outages, allocation, trace, parse_objective("hop-bytes"));
  const SearchSpace space(task);
  const Seating seating(space.plan(), map_linear(task));
  const AxisLedger ledger(space, seating, space.active_ranks());
  const std::int64_t weight = space.partners(0).front().weight;
  EXPECT_GT(weight, 1);
  EXPECT_EQ(ledger.change(0, 0, 4095), -4095 * weight);
}

}  // namespace
}  // namespace tofa
