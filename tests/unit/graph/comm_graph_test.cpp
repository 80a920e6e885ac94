// SPDX-License-Identifier: BSD-3-Clause
// From traffic to the symmetric graph.
#include "tofa/comm_graph.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "support.hpp"
#include "tofa/graph_io.hpp"

namespace tofa {
namespace {

using test::error_of;
using testing::HasSubstr;

constexpr Bytes kMost = std::numeric_limits<Bytes>::max();

TEST(Traffic, NormaliseSortsAndAddsUp) {
  Traffic traffic{3, {{2, 0, 1}, {0, 1, 5}, {2, 0, 4}, {0, 0, 9}}, ""};
  traffic.normalise();
  EXPECT_EQ(traffic.entries, (std::vector<TrafficEntry>{{0, 0, 9}, {0, 1, 5}, {2, 0, 5}}));
}

// Few entries of each sender are sorted in another way than many.
RC_GTEST_PROP(TrafficProperty, NormaliseIsASumByPair, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(1, 12);
  Traffic traffic{ranks, {}, ""};
  std::map<std::pair<Rank, Rank>, Bytes> sums;
  for (int i = *rc::gen::inRange(0, 500); i > 0; --i) {
    const auto sender = *rc::gen::inRange<Rank>(0, ranks);
    const auto receiver = *rc::gen::inRange<Rank>(0, ranks);
    const auto bytes = *rc::gen::inRange<Bytes>(0, 100);
    traffic.entries.push_back({sender, receiver, bytes});
    sums[{sender, receiver}] += bytes;
  }
  traffic.normalise();
  std::vector<TrafficEntry> expected;
  for (const auto& [pair, bytes] : sums) expected.push_back({pair.first, pair.second, bytes});
  RC_ASSERT(traffic.entries == expected);
}

// Where one lane's half of many meets the other's, too.
TEST(Traffic, NormaliseSeesASinglePairOutOfPlace) {
  constexpr Rank ranks = 300;
  Traffic traffic{ranks, {}, ""};
  for (Rank a = 0; a < ranks; ++a) {
    for (Rank b = 0; b < ranks; ++b) traffic.entries.push_back({a, b, a + b});
  }
  const std::size_t count = traffic.entries.size();
  for (const std::size_t at : {std::size_t{0}, count / 2 - 1, count / 2, count - 2}) {
    Traffic swapped = traffic;
    std::swap(swapped.entries[at], swapped.entries[at + 1]);
    swapped.normalise();
    EXPECT_EQ(swapped.entries, traffic.entries) << at;
    Traffic twice = traffic;
    twice.entries[at].value -= at == 0 ? 0 : 1;
    twice.entries.insert(
        twice.entries.begin() + static_cast<std::ptrdiff_t>(at),
        {twice.entries[at].sender, twice.entries[at].receiver, Bytes{at == 0 ? 0U : 1U}});
    twice.normalise();
    EXPECT_EQ(twice.entries, traffic.entries) << at;
  }
}

TEST(Traffic, NormaliseRefusesOverflow) {
  Traffic traffic{2, {{0, 1, kMost}, {0, 1, 1}}, ""};
  EXPECT_THAT(error_of([&] { traffic.normalise(); }), HasSubstr("more than 64 bits"));
}

TEST(CommGraph, Symmetrises) {
  const CommGraph graph(Traffic{4, {{0, 1, 5}, {1, 0, 7}, {1, 1, 100}, {2, 0, 3}, {3, 2, 0}}, ""});
  EXPECT_EQ(graph.ranks(), 4U);
  EXPECT_EQ(graph.pairs(), 2U);
  EXPECT_EQ(graph.total_bytes(), 15U);
  ASSERT_EQ(graph.partners(0).size(), 2U);
  EXPECT_EQ(Rank{graph.partners(0)[0].partner}, 1U);
  EXPECT_EQ(Bytes{graph.partners(0)[0].bytes}, 12U);
  EXPECT_EQ(Bytes{graph.partners(0)[0].sent}, 5U);
  EXPECT_EQ(Bytes{graph.partners(1)[0].sent}, 7U);
  EXPECT_EQ(Rank{graph.partners(0)[1].partner}, 2U);
  EXPECT_EQ(Bytes{graph.partners(0)[1].bytes}, 3U);
  EXPECT_EQ(Bytes{graph.partners(0)[1].sent}, 0U);
  ASSERT_EQ(graph.partners(2).size(), 1U);
  EXPECT_EQ(Bytes{graph.partners(2)[0].bytes}, 3U);
  EXPECT_EQ(Bytes{graph.partners(2)[0].sent}, 3U);
  EXPECT_TRUE(graph.partners(3).empty());
}

// Whether all that is sent is answered or not: partners are then found in different ways.
RC_GTEST_PROP(CommGraphProperty, IsASumOfBothDirections, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(1, 12);
  const bool answered = *rc::gen::arbitrary<bool>();
  Traffic traffic{ranks, {}, ""};
  std::map<std::pair<Rank, Rank>, std::pair<Bytes, Bytes>> expected;  // both directions; sent
  for (int i = *rc::gen::inRange(0, 200); i > 0; --i) {
    const auto a = *rc::gen::inRange<Rank>(0, ranks);
    const auto b = *rc::gen::inRange<Rank>(0, ranks);
    const auto forth = *rc::gen::inRange<Bytes>(0, 3);
    const auto back = answered ? *rc::gen::inRange<Bytes>(0, 3) : Bytes{0};
    traffic.entries.push_back({a, b, forth});
    if (answered) traffic.entries.push_back({b, a, back});
    if (a == b || forth + back == 0) continue;
    expected[{a, b}].first += forth + back;
    expected[{b, a}].first += forth + back;
    expected[{a, b}].second += forth;
    expected[{b, a}].second += back;
  }
  const CommGraph graph(traffic);
  std::map<std::pair<Rank, Rank>, std::pair<Bytes, Bytes>> found;
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (std::size_t i = 0; i < graph.partners(rank).size(); ++i) {
      const CommEdge edge = graph.partners(rank)[i];
      if (i > 0) RC_ASSERT(Rank{graph.partners(rank)[i - 1].partner} < Rank{edge.partner});
      found[{rank, edge.partner}] = {edge.bytes, edge.sent};
    }
  }
  RC_ASSERT(found == expected);
}

// Two lanes put together what each of them found.
TEST(CommGraph, OfManyEntriesIsWhatEachOfThemSays) {
  constexpr Rank ranks = 600;
  Traffic traffic{ranks, {}, ""};
  Bytes total = 0;
  for (Rank a = ranks; a-- > 0;) {
    for (Rank b = 0; b < ranks; b += 3) {
      traffic.entries.push_back({a, b, a + 1});
      if (b % 2 == 0 || a == b) continue;
      traffic.entries.push_back({b, a, 0});
    }
  }
  for (const bool answered : {false, true}) {
    if (answered) {
      for (Rank a = 0; a < ranks; ++a) {
        for (Rank b = 0; b < ranks; ++b) traffic.entries.push_back({a, b, 0});
      }
    }
    const CommGraph graph(traffic);
    total = 0;
    for (Rank rank = 0; rank < ranks; ++rank) {
      for (const CommEdge edge : graph.partners(rank)) {
        const Bytes sent = edge.partner % 3 == 0 ? rank + 1 : 0;
        ASSERT_EQ(Bytes{edge.sent}, sent) << rank;
        ASSERT_EQ(Bytes{edge.bytes}, sent + (rank % 3 == 0 ? edge.partner + 1 : 0)) << rank;
        total += sent;
      }
    }
    EXPECT_EQ(graph.total_bytes(), total);
    EXPECT_EQ(graph.pairs(), 200U * 199 / 2 + 200 * 400);
  }
}

TEST(CommGraph, EmptyGraphs) {
  EXPECT_EQ(CommGraph().ranks(), 0U);
  EXPECT_EQ(CommGraph(Traffic{}).ranks(), 0U);
  EXPECT_EQ(CommGraph(Traffic{5, {}, ""}).ranks(), 5U);
}

TEST(CommGraph, RefusesWhatItCannotHold) {
  EXPECT_THAT(error_of([] {
                CommGraph(Traffic{2, {{0, 2, 1}}, ""});
              }),
              HasSubstr("traffic from rank 0 to rank 2 in a job of 2"));
  EXPECT_THAT(error_of([] {
                CommGraph(Traffic{2, {{0, 1, kMost}, {1, 0, 1}}, ""});
              }),
              HasSubstr("more than 64 bits"));
  EXPECT_THAT(error_of([] {
                CommGraph(Traffic{3, {{0, 1, kMost}, {1, 2, 1}}, ""});
              }),
              HasSubstr("more than 64 bits"));
  EXPECT_THAT(error_of([] { CommGraph(Traffic{kMaxRanks + 1, {}, ""}); }), HasSubstr("at most"));
}

TEST(CommGraph, NeighboursInRankOrder) {
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  EXPECT_EQ(graph.pairs(), 3U);
  EXPECT_EQ(graph.total_bytes(), 6U) << "a byte each way";
  EXPECT_EQ(graph.partners(0).size(), 1U);
  EXPECT_EQ(Rank{graph.partners(1)[1].partner}, 2U);
  EXPECT_EQ(CommGraph::neighbours_in_rank_order(1).pairs(), 0U);
}

TEST(CommGraph, Fixtures) {
  const CommGraph graph(read_traffic(test::fixture("cases/s3d512p.bytes.mtx")));
  EXPECT_EQ(graph.ranks(), 512U);
  EXPECT_EQ(graph.pairs(), 1536U);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) EXPECT_EQ(graph.partners(rank).size(), 6U);
}

}  // namespace
}  // namespace tofa
