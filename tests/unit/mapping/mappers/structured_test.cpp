// SPDX-License-Identifier: BSD-3-Clause
// fold and bit-linear must find the embeddings that are known to be perfect, at once.
#include <gtest/gtest.h>

#include <bit>

#include "mapping/mapper.hpp"
#include "support/grid_traffic.hpp"

namespace tofa {
namespace {

CommGraph hypercube(Rank ranks) {
  Traffic traffic;
  traffic.ranks = ranks;
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (Rank bit = 1; bit < ranks; bit *= 2) {
      if ((rank & bit) == 0) traffic.entries.push_back({rank, rank | bit, 100});
    }
  }
  return CommGraph(traffic);
}

// An open grid of ranks in order, x fastest.
CommGraph plane(Rank width, Rank height) {
  Traffic traffic;
  traffic.ranks = width * height;
  for (Rank y = 0; y < height; ++y) {
    for (Rank x = 0; x < width; ++x) {
      const Rank rank = x + width * y;
      if (x + 1 < width) traffic.entries.push_back({rank, rank + 1, 100});
      if (y + 1 < height) traffic.entries.push_back({rank, rank + width, 100});
    }
  }
  traffic.normalise();
  return CommGraph(traffic);
}

class Structured : public testing::Test {
 protected:
  double hops(const CommGraph& graph, const std::string& mapper, unsigned slots = 1,
              Node leave_out = kNoNode) {
    Allocation allocation;
    for (Node node = 0; node < torus_->nodes(); ++node) {
      if (node != leave_out) allocation.push_back({node, slots});
    }
    PlaceOptions options;
    options.mapper = mapper;
    options.objective = parse_objective("hop-bytes");
    return place(graph, *torus_, {}, allocation, options).chosen.average_hops_per_byte;
  }

  std::unique_ptr<Topology> torus_ = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4, 4, 4]\nnodes = \"n[00-63]\"\n", "torus.toml");
};

TEST_F(Structured, AHypercubeIsATorusOfFours) {
  EXPECT_EQ(hops(hypercube(64), "bit-linear"), 1);
  EXPECT_EQ(hops(hypercube(16), "bit-linear"), 1);
}

TEST_F(Structured, APlaneFoldsIntoACube) {
  EXPECT_EQ(hops(plane(4, 16), "fold"), 1);
  EXPECT_LE(hops(plane(8, 8), "fold"), 1.15);
}

TEST_F(Structured, SlotsAreADimensionAlongWhichNothingIsFar) {
  // Two ranks to a node: half of the pairs along one dimension stay inside of nodes.
  EXPECT_LT(hops(plane(8, 16), "fold", 2), 0.85);
}

TEST_F(Structured, TilesThatFillANodeAreLaidLikeRanks) {
  const auto torus = [](unsigned extent) {
    return CommGraph(test::shuffled_grid({extent, extent, extent}, {true, true, true}, 10, 3));
  };
  EXPECT_EQ(hops(torus(16), "fold", 64), 0.25);
  EXPECT_EQ(hops(torus(8), "fold", 8), 0.5);
  const CommGraph cube(
      test::shuffled_grid(std::vector<unsigned>(12, 2), std::vector<bool>(12), 1, 3));
  EXPECT_EQ(hops(cube, "fold", 64), 0.5);
}

// 125 nodes of 17 slots have room for 2,048 ranks, but for ten of their eleven dimensions only:
// there are more ways to find that out than anybody could try.
TEST_F(Structured, WhatDoesNotFitIsGivenUp) {
  torus_ = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [5, 5, 5]\nnodes = \"n[000-124]\"\n", "torus.toml");
  const CommGraph cube(
      test::shuffled_grid(std::vector<unsigned>(11, 2), std::vector<bool>(11), 1, 3));
  EXPECT_EQ(hops(cube, "fold", 17), hops(cube, "linear", 17));
}

TEST_F(Structured, AHoleIsStepped) {
  // The plane of 4 x 8 fits into half of the torus, wherever the missing node is.
  for (const Node hole : {0U, 21U, 63U}) EXPECT_LE(hops(plane(4, 8), "fold", 1, hole), 1.01);
}

}  // namespace
}  // namespace tofa
