// SPDX-License-Identifier: BSD-3-Clause
// Candidates of `auto`: what is dear is tried where it is needed, or where there is time for it.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/neighbours_in_space.hpp"
#include "support/random_traffic.hpp"
#include "tofa/place.hpp"
#include "tofa/topology.hpp"

namespace tofa::candidates_test {
namespace {

constexpr Rank kRanks = 2048;

// Whether a mapper is tried in so many seconds of work, on nodes that are as many as the ranks or
// have several slots.
bool tries(const std::string& mapper, const CommGraph& graph, double seconds, unsigned slots) {
  const auto torus = parse_topology(
      slots > 1 ? "[topology]\nkind = \"torus\"\nshape = [8, 8, 8]\nnodes = \"n[0-511]\"\n"
                : "[topology]\nkind = \"torus\"\nshape = [16, 16, 8]\nnodes = \"n[0-2047]\"\n",
      "torus.toml");
  Allocation allocation;
  for (Node node = 0; node < torus->nodes(); ++node) allocation.push_back({node, slots});
  PlaceOptions options;
  options.objective = parse_objective("hop-bytes");
  options.work = PlannedWork{seconds};
  options.time_limit_seconds = 600;
  const auto tried = place(graph, *torus, {}, allocation, options).candidates;
  return std::any_of(tried.begin(), tried.end(),
                     [&](const CandidateReport& c) { return c.mapper == mapper; });
}

constexpr double kBrief = 0.04;
constexpr double kAmple = 0.4;

TEST(Candidates, OfAShortSearchAreNoCutsWhereADrawingDoes) {
  const CommGraph space = test::neighbours_in_space(kRanks, 12);
  EXPECT_TRUE(tries("geometric", space, kBrief, 1));
  EXPECT_FALSE(tries("bisect", space, kBrief, 1));
  EXPECT_TRUE(tries("bisect", space, kAmple, 1));
}

TEST(Candidates, OfAShortSearchAreNoGroupsWhereADrawingDoes) {
  const CommGraph space = test::neighbours_in_space(kRanks, 12);
  EXPECT_TRUE(tries("geometric", space, kBrief, 4));
  EXPECT_FALSE(tries("group", space, kBrief, 4));
  EXPECT_TRUE(tries("geometric", space, kAmple, 4));
  EXPECT_TRUE(tries("group", space, kAmple, 4));
}

TEST(Candidates, AreCutsWhereTheTrafficHasNoShape) {
  const CommGraph anywhere(test::random_traffic(kRanks, 3));
  EXPECT_TRUE(tries("bisect", anywhere, kBrief, 1));
  EXPECT_TRUE(tries("group", anywhere, kBrief, 4));
}

}  // namespace
}  // namespace tofa::candidates_test
