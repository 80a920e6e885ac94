// SPDX-License-Identifier: BSD-3-Clause
// spread: finds the arrangement of a whole machine, in grids of any shape, with seats left or not.
#include <gtest/gtest.h>

#include "support/neighbours_in_space.hpp"
#include "support/random_cases.hpp"
#include "tofa/place.hpp"

namespace tofa {
namespace {

Allocation one_slot_each(const Topology& topology) {
  Allocation allocation;
  for (Node node = 0; node < topology.nodes(); ++node) allocation.push_back({node, 1});
  return allocation;
}

double hops_per_byte(const CommGraph& graph, const std::string& shape, unsigned nodes,
                     unsigned slots, const std::string& mapper) {
  const auto torus = parse_topology("[topology]\nkind = \"torus\"\nshape = [" + shape +
                                        "]\nnodes = \"n[0-" + std::to_string(nodes - 1) + "]\"\n",
                                    "torus.toml");
  Allocation allocation;
  for (Node node = 0; node < nodes; ++node) allocation.push_back({node, slots});
  PlaceOptions options = test::options_with_work(0.3);
  options.objective = parse_objective("hop-bytes");
  options.mapper = mapper;
  return place(graph, *torus, {}, allocation, options).chosen.average_hops_per_byte;
}

TEST(Spread, FindsWhatLiesBesideWhat) {
  const CommGraph graph = test::neighbours_in_space(4096, 12);
  const double spread = hops_per_byte(graph, "16, 16, 16", 4096, 1, "spread");
  EXPECT_LT(spread, 3);  // in list order 12
  EXPECT_LT(spread, 0.9 * hops_per_byte(graph, "16, 16, 16", 4096, 1, "bisect"));
}

TEST(Spread, TakesOddShapesSeveralSlotsAndFreeSeats) {
  const CommGraph graph = test::neighbours_in_space(1500, 12);
  EXPECT_LT(hops_per_byte(graph, "5, 7, 15", 525, 3, "spread"),
            0.5 * hops_per_byte(graph, "5, 7, 15", 525, 3, "linear"));
  EXPECT_LT(hops_per_byte(graph, "13, 13, 13", 2197, 1, "spread"),
            0.5 * hops_per_byte(graph, "13, 13, 13", 2197, 1, "linear"));
}

TEST(Spread, SameSeedSameMapping) {
  const CommGraph graph = test::neighbours_in_space(1100, 8);
  EXPECT_EQ(hops_per_byte(graph, "11, 10, 10", 1100, 1, "spread"),
            hops_per_byte(graph, "11, 10, 10", 1100, 1, "spread"));
}

TEST(Spread, AnswersForFewRanksAndOtherMachinesToo) {
  EXPECT_GT(hops_per_byte(test::neighbours_in_space(3, 2), "2, 2", 4, 1, "spread"), 0);
  const auto tree = parse_topology(
      "[topology]\nkind = \"tree\"\n[[switch]]\nname = \"top\"\nnodes = \"n[0-3]\"\n", "tree.toml");
  PlaceOptions options = test::options_with_work(0.01);
  options.mapper = "spread";
  const Placement placement =
      place(test::neighbours_in_space(4, 3), *tree, {}, one_slot_each(*tree), options);
  EXPECT_EQ(placement.mapping, (Mapping{0, 1, 2, 3}));
}

}  // namespace
}  // namespace tofa
