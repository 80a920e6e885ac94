// SPDX-License-Identifier: BSD-3-Clause
// What processes decide on their parts, here on one: rows are the traffic, pieces and groups have
// the sizes they must have, and a search of a piece moves nobody else.
#include "tofa/parallel.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "support.hpp"
#include "tofa/traffic_source.hpp"

namespace tofa {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Topology> torus() {
  return parse_topology("[topology]\nkind = \"torus\"\nshape = [4, 4, 4]\nnodes = \"n[00-63]\"\n",
                        "t");
}

Allocation nodes_with(unsigned nodes, unsigned slots) {
  Allocation allocation;
  for (Node node = 0; node < nodes; ++node) allocation.push_back({node, slots});
  return allocation;
}

// All rows of a stencil of 8x8x8 ranks, in disorder.
RankRows stencil_rows() {
  const auto source = generate_traffic_part("stencil3d:8x8x8", 1, {0, 1});
  std::vector<TrafficEntry> entries;
  while (source->next(entries)) {
  }
  RowCollector rows(0, source->ranks());
  rows.add(entries);
  return rows.finish();
}

std::vector<std::uint32_t> all_of(const RankRows& rows) {
  std::vector<std::uint32_t> members(rows.ranks.size());
  std::iota(members.begin(), members.end(), 0U);
  return members;
}

TEST(RowCollector, AddsUpWhatItIsToldInAnyOrder) {
  RowCollector collector(4, 7);
  const std::vector<TrafficEntry> first = {{6, 1, 5}, {4, 9, 1}, {6, 0, 2}};
  const std::vector<TrafficEntry> second = {{6, 1, 7}};
  collector.add(first);
  collector.add(second);
  const RankRows rows = collector.finish();
  EXPECT_THAT(rows.ranks, ElementsAre(4, 5, 6));
  EXPECT_THAT(rows.offsets, ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(rows.partners, ElementsAre(9, 0, 1));
  EXPECT_THAT(rows.bytes, ElementsAre(1, 2, 12));
}

TEST(RowCollector, AddsUpThePartsAsItWouldAllAtOnce) {
  rc::check([] {
    const auto spare = *rc::gen::inRange<std::size_t>(0, 30);
    RowCollector in_parts(0, 5, spare);
    RowCollector at_once(0, 5);
    std::vector<TrafficEntry> all;
    for (int batch = *rc::gen::inRange(0, 20); batch > 0; --batch) {
      std::vector<TrafficEntry> entries;
      for (int i = *rc::gen::inRange(0, 10); i > 0; --i) {
        entries.push_back({*rc::gen::inRange<Rank>(0, 5), *rc::gen::inRange<Rank>(0, 9),
                           *rc::gen::inRange<Bytes>(1, 100)});
      }
      in_parts.add(entries);
      all.insert(all.end(), entries.begin(), entries.end());
    }
    at_once.add(all);
    const RankRows a = in_parts.finish();
    const RankRows b = at_once.finish();
    RC_ASSERT(a.offsets == b.offsets && a.partners == b.partners && a.bytes == b.bytes);
    const Bytes sum = std::accumulate(a.bytes.begin(), a.bytes.end(), Bytes{0});
    RC_ASSERT(sum == std::accumulate(all.begin(), all.end(), Bytes{0},
                                     [](Bytes s, const TrafficEntry& e) { return s + e.value; }));
  });
}

TEST(RowCollector, RefusesMoreThan64Bits) {
  RowCollector collector(0, 2);
  const std::vector<TrafficEntry> entries = {{0, 1, ~Bytes{0}}, {0, 1, 1}};
  collector.add(entries);
  EXPECT_THAT(error_of([&] { collector.finish(); }), HasSubstr("ranks 0 and 1 exchange 2^64"));
}

TEST(EvenBounds, LeaveNobodyOut) {
  EXPECT_THAT(even_bounds(10, 4), ElementsAre(0, 2, 5, 7, 10));
  EXPECT_THAT(even_bounds(1, 3), ElementsAre(0, 0, 0, 1));
}

TEST(GroupPlan, GroupsFillNodes) {
  const GroupPlan plan(nodes_with(4, 8), 30);
  ASSERT_EQ(plan.groups(), 4U);
  EXPECT_THAT(plan.sizes(0, 4), ElementsAre(8, 8, 8, 6));
  EXPECT_THAT(plan.cut_near({13, 17}), ElementsAre(0, 2, 4));
  EXPECT_THAT(plan.cut_near({11, 19}), ElementsAre(0, 1, 4));
  EXPECT_THAT(plan.cut_near({0, 30}), ElementsAre(0, 0, 4));
  EXPECT_THAT(plan.cut_near({30, 0}), ElementsAre(0, 4, 4));
  EXPECT_THAT(error_of([] { GroupPlan(nodes_with(4, 8), 33); }), HasSubstr("slots"));
}

TEST(GroupPlan, CutsAreInOrderAndAllGroupsInAPiece) {
  rc::check([] {
    const auto slots = *rc::gen::inRange(1U, 9U);
    const auto sizes = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 40)));
    const auto ranks =
        static_cast<Rank>(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}));
    RC_PRE(ranks > 0);
    const GroupPlan plan(nodes_with(ranks / slots + 1, slots), ranks);
    const auto first = plan.cut_near(sizes);
    RC_ASSERT(first.size() == sizes.size() + 1);
    RC_ASSERT(std::is_sorted(first.begin(), first.end()));
    RC_ASSERT(first.front() == 0U && first.back() == plan.groups());
  });
}

TEST(SettlePieces, MakesPiecesOfWholeGroupsAndMovesFew) {
  const GroupPlan plan(nodes_with(64, 8), 512);
  const RankRows rows = stencil_rows();
  rc::check([&] {
    // Slabs by rows' order, of which some ranks are elsewhere.
    const auto pieces = *rc::gen::inRange(1U, 7U);
    std::vector<std::uint32_t> piece_of(512);
    for (Rank rank = 0; rank < 512; ++rank) {
      piece_of[rank] = rank * pieces / 512;
      if (*rc::gen::inRange(0, 20) == 0) piece_of[rank] = *rc::gen::inRange(0U, pieces);
    }
    const std::vector<std::uint32_t> before = piece_of;
    std::vector<std::uint64_t> sizes(pieces);
    for (const std::uint32_t piece : piece_of) ++sizes[piece];
    const auto first = plan.cut_near(sizes);
    settle_pieces(plan, first, border_ranks(rows, piece_of, 1024), piece_of);
    std::vector<std::uint64_t> after(pieces);
    for (const std::uint32_t piece : piece_of) ++after[piece];
    for (unsigned piece = 0; piece < pieces; ++piece)
      RC_ASSERT(after[piece] == 8 * (first[piece + 1] - first[piece]));
    unsigned moved = 0;
    for (Rank rank = 0; rank < 512; ++rank) moved += piece_of[rank] != before[rank] ? 1 : 0;
    RC_ASSERT(moved <= 4 * (pieces - 1));  // half a group between any two
  });
}

TEST(SettlePieces, DoesWithoutABorder) {
  const GroupPlan plan(nodes_with(4, 4), 16);
  std::vector<std::uint32_t> piece_of = {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  settle_pieces(plan, {0, 1, 4}, {}, piece_of);
  EXPECT_EQ(std::count(piece_of.begin(), piece_of.end(), 0U), 4);
}

TEST(CutInGroups, KeepsSizesAndFindsBlocks) {
  const RankRows rows = stencil_rows();
  const std::vector<std::uint32_t> sizes(64, 8);
  const auto groups = cut_in_groups(rows, all_of(rows), sizes, 1);
  std::vector<std::uint32_t> count(64);
  for (const std::uint32_t group : groups) ++count[group];
  EXPECT_EQ(count, sizes);
  // Cubes of eight keep half of the traffic to themselves; by chance it would be a 64th.
  Bytes outside = 0;
  for (const TrafficEntry& entry : group_traffic(rows, groups, 64)) outside += entry.value;
  EXPECT_LT(outside, 512U * 3 * 7 / 10);
}

// As processes do it, each of which adds what its rows send.
TEST(FindTiles, FillsNodesWithBoxesOfAGrid) {
  const RankRows rows = stencil_rows();
  std::vector<std::uint8_t> degrees;
  for (std::size_t row = 0; row < rows.ranks.size(); ++row) {
    degrees.push_back(static_cast<std::uint8_t>(rows.offsets[row + 1] - rows.offsets[row]));
  }
  const auto found = recognise_grid(degrees, rows.partners);
  ASSERT_TRUE(found);
  const GuestGrid& grid = *found;
  EXPECT_THAT(grid.shape, ElementsAre(8, 8, 8));
  EXPECT_THAT(grid.wraps, ElementsAre(1, 1, 1));
  const std::vector<double> borders = border_traffic(rows, grid);
  const std::vector<std::uint32_t> tile = find_tiles(grid, borders, 8);
  std::map<std::uint32_t, unsigned> sizes;
  for (const std::uint32_t of_rank : tile) ++sizes[of_rank];
  EXPECT_EQ(sizes.size(), 64);
  for (const auto& [number, ranks] : sizes) EXPECT_EQ(ranks, 8) << number;
  // Half of the pairs of a box of 2x2x2 leave it.
  std::uint64_t cut = 0;
  for (const TrafficEntry& entry : group_traffic(rows, tile, 64)) cut += entry.value;
  const auto bytes = std::accumulate(rows.bytes.begin(), rows.bytes.end(), Bytes{0}) / 2;
  EXPECT_EQ(cut, bytes / 2);
  EXPECT_TRUE(find_tiles(grid, borders, 7).empty());
  EXPECT_TRUE(find_tiles(grid, borders, 512).empty());
}

TEST(FindTiles, WhatIsNoGridHasNone) {
  RankRows rows = stencil_rows();
  std::vector<std::uint8_t> degrees(512, 6);
  // One rank less for one, and another one for another.
  std::swap(rows.partners[3], rows.partners[40]);
  EXPECT_FALSE(recognise_grid(degrees, rows.partners));
  EXPECT_FALSE(recognise_grid({}, {}));
}

TEST(GroupTraffic, IsThatOfItsRanks) {
  const RankRows rows = stencil_rows();
  rc::check([&] {
    const auto groups = *rc::gen::inRange(1U, 30U);
    std::vector<std::uint32_t> group_of;
    for (int i = 0; i < 512; ++i) group_of.push_back(*rc::gen::inRange(0U, groups));
    std::map<std::pair<Rank, Rank>, Bytes> expected;
    for (std::size_t row = 0; row < 512; ++row) {
      for (std::uint64_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) {
        const std::uint32_t other = group_of[rows.partners[e]];
        if (other > group_of[row]) expected[{group_of[row], other}] += rows.bytes[e];
      }
    }
    std::map<std::pair<Rank, Rank>, Bytes> found;
    for (const auto& [a, b, bytes] : group_traffic(rows, group_of, groups))
      RC_ASSERT(found.emplace(std::pair(a, b), bytes).second);
    RC_ASSERT(found == expected);
  });
}

TEST(RefinePiece, ExchangesPlacesOfItsRanksOnlyAndCostsNoMore) {
  const RankRows rows = stencil_rows();
  const auto machine = torus();
  Mapping nodes(512);
  for (Rank rank = 0; rank < 512; ++rank) nodes[rank] = rank / 8;
  // Every third rank; nodes are shared with others.
  std::vector<std::uint32_t> members;
  for (std::uint32_t row = 0; row < 512; row += 3) members.push_back(row);
  const Mapping refined = refine_piece(rows, members, nodes, *machine, 200, 1);
  ASSERT_EQ(refined.size(), members.size());
  EXPECT_EQ(refine_piece(rows, members, nodes, *machine, 200, 1), refined);
  Mapping after = nodes;
  for (std::size_t i = 0; i < members.size(); ++i) after[members[i]] = refined[i];
  const double cost = cost_of_rows(rows, nodes, *machine).hop_bytes;
  EXPECT_LT(cost_of_rows(rows, after, *machine).hop_bytes, 0.9 * cost);
  std::sort(after.begin(), after.end());
  EXPECT_EQ(after, nodes);
}

TEST(CostOfRows, CountsEachPairOnce) {
  const RankRows rows = stencil_rows();
  const auto machine = torus();
  Mapping nodes(512, 0);
  EXPECT_EQ(cost_of_rows(rows, nodes, *machine).bytes, 512 * 3);
  EXPECT_EQ(cost_of_rows(rows, nodes, *machine).hop_bytes, 0);
  nodes[7] = 1;
  EXPECT_EQ(cost_of_rows(rows, nodes, *machine).hop_bytes, 6);
}

}  // namespace
}  // namespace tofa
