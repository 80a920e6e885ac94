// SPDX-License-Identifier: BSD-3-Clause
// How long `auto` searches: longer where its candidates know little.
#include <gtest/gtest.h>

#include "support/neighbours_in_space.hpp"
#include "support/random_traffic.hpp"
#include "tofa/place.hpp"
#include "tofa/topology.hpp"

namespace tofa::auto_test {
namespace {

// On 8 x 8 x 8 nodes, with so much work and so much more for what is hard; hop-bytes.
double cost(const CommGraph& graph, const PlannedWork& work) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [8, 8, 8]\nnodes = \"n[0-511]\"\n", "torus.toml");
  Allocation allocation;
  for (Node node = 0; node < torus->nodes(); ++node) allocation.push_back({node, 1});
  PlaceOptions options;
  options.objective = parse_objective("hop-bytes");
  options.work = work;
  options.time_limit_seconds = 600;
  return place(graph, *torus, {}, allocation, options).chosen_cost;
}

TEST(Auto, SearchesLongerWhereNoCandidateKnowsTheShape) {
  const CommGraph graph(test::random_traffic(512, 3));
  const double briefly = cost(graph, {0.1});
  EXPECT_LT(cost(graph, {0.1, 0.2}), briefly);
}

TEST(Auto, SearchesNoLongerWhereOneDoes) {
  const CommGraph graph = test::neighbours_in_space(512, 12);
  const double briefly = cost(graph, {0.1});
  EXPECT_EQ(cost(graph, {0.1, 0.2}), briefly);
}

}  // namespace
}  // namespace tofa::auto_test
