// SPDX-License-Identifier: BSD-3-Clause
// The sample by which folds are judged: all pairs of few ranks, and of ranks with many partners
// some, which stand for all.
#include "mapping/mappers/folding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"

namespace tofa::folding_test {
namespace {

double bytes_in(const std::vector<GuestPair>& sample) {
  return std::accumulate(sample.begin(), sample.end(), 0.0,
                         [](double sum, const GuestPair& pair) { return sum + pair.bytes; });
}

TEST(SamplePairs, AreThoseOfFewRanksFromBothEnds) {
  const CommGraph graph(test::plane(8, 8));
  EXPECT_EQ(sample_pairs(graph, guest_grid(graph)).size(), 2 * graph.pairs());
}

TEST(SamplePairs, OfManyPartnersAreSomeThatStandForAll) {
  const CommGraph graph(test::complete(100, 8));
  const std::vector<GuestPair> sample = sample_pairs(graph, guest_grid(graph));
  EXPECT_LE(sample.size(), 32 * 100);
  EXPECT_NEAR(bytes_in(sample), 2.0 * static_cast<double>(graph.total_bytes()), 1);
}

// Of a stencil behind an exchange of all with all the neighbours are all in it.
TEST(SamplePairs, OfManyPartnersAreTheHeaviest) {
  const CommGraph plane(test::plane(10, 10));
  const CommGraph graph = test::together(plane, test::complete(100, 1));
  const std::vector<GuestPair> sample = sample_pairs(graph, guest_grid(graph));
  const auto heavy = std::count_if(sample.begin(), sample.end(),
                                   [](const GuestPair& pair) { return pair.bytes > 100; });
  EXPECT_EQ(heavy, 2 * static_cast<std::ptrdiff_t>(plane.pairs()));
}

}  // namespace
}  // namespace tofa::folding_test
