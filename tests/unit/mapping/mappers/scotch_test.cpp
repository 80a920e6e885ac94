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

bool is_tried(unsigned extent, double seconds) {
  const auto torus = parse_topology(
      fmt::format("[topology]\nkind = \"torus\"\nshape = [{0}, {0}, {0}]\nnodes = \"n[0-{1}]\"\n",
                  extent, extent * extent * extent - 1),
      "torus.toml");
  Traffic ring;
  ring.ranks = torus->nodes();
  for (Rank rank = 0; rank < ring.ranks; ++rank)
    ring.entries.push_back({rank, (rank + 1) % ring.ranks, 1});
  ring.normalise();
  const CommGraph graph(ring);
  const OutageMap outages;
  Allocation allocation;
  for (Node node = 0; node < torus->nodes(); ++node) allocation.push_back({node, 1});
  const PlaceOptions options;
  Trace trace(options);
  MappingTask task =
      test::task_of(graph, *torus, outages, allocation, trace, parse_objective("hop-bytes"));
  task.seconds = seconds;
  return find_entry(mapper_registry(), "scotch")->candidate(task);
}

// It takes 75 s on 131,072 nodes, and many minutes on twice as many.
TEST(Scotch, IsNotTriedWhereItTakesLongerThanTheSearch) {
  EXPECT_TRUE(is_tried(8, 0.4));
  EXPECT_TRUE(is_tried(20, 2));
  EXPECT_FALSE(is_tried(32, 2));
  EXPECT_FALSE(is_tried(64, 240));
}

}  // namespace
}  // namespace tofa
