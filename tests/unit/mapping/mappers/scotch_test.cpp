// SPDX-License-Identifier: BSD-3-Clause
// A call of SCOTCH cannot be interrupted, so that none may be made that takes longer than a search
// has.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "mapping/mapper.hpp"
#include "support/mapping_task.hpp"

namespace tofa {
namespace {

// Where each rank talks to so many of those that come after it, with so many planned seconds, of
// which the clock leaves some.
bool is_tried(const std::string& machine, Rank partners, double seconds, double left = 1000) {
  const auto topology = parse_topology("[topology]\n" + machine, "machine.toml");
  Traffic ring;
  ring.ranks = topology->nodes();
  for (Rank rank = 0; rank < ring.ranks; ++rank) {
    for (Rank step = 1; step <= partners; ++step)
      ring.entries.push_back({rank, (rank + step) % ring.ranks, 1});
  }
  ring.normalise();
  const CommGraph graph(ring);
  const OutageMap outages;
  Allocation allocation;
  for (Node node = 0; node < topology->nodes(); ++node) allocation.push_back({node, 1});
  const PlaceOptions options;
  Trace trace(options);
  MappingTask task =
      test::task_of(graph, *topology, outages, allocation, trace, parse_objective("hop-bytes"));
  task.seconds = seconds;
  task.deadline = Deadline(left);
  const bool tried = find_entry(mapper_registry(), "scotch")->candidate(task);
  EXPECT_FALSE(tried && trace.hurried());
  return tried;
}

std::string cube(unsigned extent) {
  return fmt::format("kind = \"torus\"\nshape = [{0}, {0}, {0}]\nnodes = \"n[0-{1}]\"\n", extent,
                     extent * extent * extent - 1);
}

// It takes 75 s on 131,072 nodes, and many minutes on twice as many.
TEST(Scotch, IsNotTriedWhereItTakesLongerThanTheSearch) {
  EXPECT_TRUE(is_tried(cube(8), 1, 0.4));
  EXPECT_TRUE(is_tried(cube(20), 1, 2));
  EXPECT_FALSE(is_tried(cube(32), 1, 2));
  EXPECT_FALSE(is_tried(cube(64), 1, 240));
}

// Of a network that it does not know it looks at all parts for every pair.
TEST(Scotch, TakesLongerOnCablesThanOnATree) {
  const std::string tree =
      "kind = \"fat-tree\"\ndown = [16, 32]\nup = [1, 16]\nnodes = \"n[0-511]\"\n";
  std::string cables =
      "kind = \"graph\"\nnodes = \"n[0-511]\"\nswitches = \"top,s[0-31]\"\n"
      "[[link]]\nends = [\"top\", \"s[0-31]\"]\n";
  for (unsigned i = 0; i < 32; ++i)
    cables += fmt::format("[[link]]\nends = [\"s{}\", \"n[{}-{}]\"]\n", i, 16 * i, 16 * i + 15);
  constexpr Rank partners = 20;
  EXPECT_TRUE(is_tried(tree, partners, 0.04));
  EXPECT_FALSE(is_tried(cables, partners, 0.04));
  EXPECT_TRUE(is_tried(cables, partners, 0.4));
}

// As where groups are placed, for which most of the time is gone before they are known.
TEST(Scotch, IsNotTriedWhereTheClockLeavesTooLittle) {
  EXPECT_TRUE(is_tried(cube(8), 1, 0.4, 10));
  EXPECT_FALSE(is_tried(cube(8), 1, 0.4, 0.005));
}

// 13,000 pairs of 512 groups of a power law took 0.5 s on a torus of six dimensions.
TEST(Scotch, TakesLongerForEachPairWhereRanksHaveManyPartners) {
  const std::string six = "kind = \"torus\"\nshape = [4, 4, 4, 2, 2, 2]\nnodes = \"n[0-511]\"\n";
  EXPECT_TRUE(is_tried(six, 25, 0.5));
  EXPECT_TRUE(is_tried(six, 5, 0.06));
  EXPECT_FALSE(is_tried(six, 25, 5 * 0.06)) << "five times as many pairs take longer than that";
}

}  // namespace
}  // namespace tofa
