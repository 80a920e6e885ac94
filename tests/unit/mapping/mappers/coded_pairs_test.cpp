// SPDX-License-Identifier: BSD-3-Clause
// A few pairs have to say as much as all of them, of each way in which the two of a pair differ.
#include "mapping/mappers/coded_pairs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "support/random_traffic.hpp"

namespace tofa::coded_pairs_test {
namespace {

std::map<std::uint32_t, double> bytes_by_difference(const std::vector<CodedPair>& pairs) {
  std::map<std::uint32_t, double> bytes;
  for (const CodedPair& pair : pairs) bytes[pair.a ^ pair.b] += pair.bytes;
  return bytes;
}

// Ranks that talk to those with another bit, or a few, of their number.
CommGraph butterfly(Rank ranks) {
  Traffic traffic;
  traffic.ranks = ranks;
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (const Rank flipped : {1U, 2U, 4U, 3U, 13U})
      if ((rank ^ flipped) < ranks) traffic.entries.push_back({rank, rank ^ flipped, 10 + rank});
  }
  traffic.normalise();
  return CommGraph(traffic);
}

std::vector<std::uint32_t> rank_numbers(Rank ranks) {
  std::vector<std::uint32_t> codes(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) codes[rank] = rank;
  return codes;
}

RC_GTEST_PROP(CodedPairsProperty, SayAsMuchAsAll, ()) {
  const Rank ranks = *rc::gen::inRange<Rank>(16, 200);
  const CommGraph graph = butterfly(ranks);
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  const CodedPairs pairs(graph, rank_numbers(ranks), random);
  RC_ASSERT(pairs.alike());
  const std::vector<CodedPair> all = pairs.some(ranks);
  const std::vector<CodedPair> few = pairs.some(*rc::gen::inRange<std::size_t>(1, 10));
  RC_ASSERT(all.size() == graph.pairs());
  RC_ASSERT(few.size() <= 5 * 10U);
  const auto expected = bytes_by_difference(all);
  const auto found = bytes_by_difference(few);
  RC_ASSERT(found.size() == expected.size());
  for (const auto& [difference, bytes] : expected)
    RC_ASSERT(std::abs(found.at(difference) - bytes) <= 1e-5 * bytes);
}

TEST(CodedPairs, AreSomeThousandsWhereAllDiffer) {
  const Rank ranks = 8192;
  const CommGraph graph(test::random_traffic(ranks, 6));
  RandomSource random(1);
  const CodedPairs pairs(graph, rank_numbers(ranks), random);
  EXPECT_FALSE(pairs.alike());
  const std::size_t count = pairs.some(8).size();
  EXPECT_GT(count, 1000U);
  EXPECT_LE(count, 4096U);
}

TEST(CodedPairs, AreNoneWhereNobodyTalks) {
  Traffic silent;
  silent.ranks = 8;
  RandomSource random(1);
  EXPECT_TRUE(CodedPairs(CommGraph(silent), rank_numbers(8), random).some(8).empty());
}

}  // namespace
}  // namespace tofa::coded_pairs_test
