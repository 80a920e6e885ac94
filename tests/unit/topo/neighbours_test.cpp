// SPDX-License-Identifier: BSD-3-Clause
#include "neighbours.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace tofa::neighbours_test {
namespace {

using testing::ElementsAre;

std::vector<int> neighbours(const std::vector<int>& extents, const std::vector<int>& periodic,
                            int rank) {
  const cart grid = {static_cast<int>(extents.size()), extents.data(), periodic.data()};
  std::vector<int> found(2 * extents.size());
  found.resize(static_cast<std::size_t>(cart_neighbours(&grid, rank, found.data())));
  return found;
}

std::vector<std::vector<int>> triplets(tofa_edge* edges, std::size_t count) {
  const std::unique_ptr<tofa_edge, decltype(&std::free)> owner(edges, &std::free);
  std::vector<std::vector<int>> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back({edges[i].from, edges[i].to, edges[i].weight});
  return result;
}

TEST(Neighbours, the_last_dimension_counts_fastest) {
  EXPECT_THAT(neighbours({3, 4}, {0, 0}, 5), ElementsAre(1, 9, 4, 6));
}

TEST(Neighbours, nobody_is_beyond_a_border_that_is_not_periodic) {
  EXPECT_THAT(neighbours({3, 4}, {0, 0}, 0), ElementsAre(4, 1));
  EXPECT_THAT(neighbours({3, 4}, {0, 1}, 0), ElementsAre(4, 3, 1));
  EXPECT_THAT(neighbours({3, 4}, {1, 1}, 11), ElementsAre(7, 3, 10, 8));
}

TEST(Neighbours, the_same_on_both_sides_counts_twice_and_oneself_never) {
  EXPECT_THAT(neighbours({2, 1}, {1, 1}, 0), ElementsAre(1, 1));
}

TEST(Neighbours, sizes) {
  const auto size = [](std::vector<int> extents) {
    const cart grid = {static_cast<int>(extents.size()), extents.data(), nullptr};
    return cart_size(&grid);
  };
  EXPECT_EQ(size({3, 4, 5}), 60);
  EXPECT_EQ(size({}), 1);
  EXPECT_EQ(size({3, 0}), -1);
  EXPECT_EQ(size({3, -1}), -1);
  EXPECT_EQ(size({65536, 65536}), -1);
}

TEST(Neighbours, edges_of_a_grid) {
  const int extents[] = {3}, periodic[] = {0};
  const cart grid = {1, extents, periodic};
  std::size_t count = 0;
  tofa_edge* edges = cart_edges(&grid, &count);
  EXPECT_THAT(triplets(edges, count), ElementsAre(ElementsAre(0, 1, 1), ElementsAre(1, 0, 1),
                                                  ElementsAre(1, 2, 1), ElementsAre(2, 1, 1)));
}

TEST(Neighbours, edges_of_a_graph) {
  const int index[] = {1, 1, 3}, partners[] = {2, 0, 1};
  std::size_t count = 0;
  tofa_edge* edges = graph_edges(3, index, partners, &count);
  EXPECT_THAT(triplets(edges, count),
              ElementsAre(ElementsAre(0, 2, 1), ElementsAre(2, 0, 1), ElementsAre(2, 1, 1)));
}

// Open MPI checks no arguments where it is told not to.
TEST(Neighbours, an_index_that_falls_reads_nothing_beyond_its_end) {
  const int index[] = {2, 7, 1}, partners[] = {2};
  std::size_t count = 0;
  tofa_edge* edges = graph_edges(3, index, partners, &count);
  EXPECT_THAT(triplets(edges, count), ElementsAre(ElementsAre(0, 2, 1)));
}

}  // namespace
}  // namespace tofa::neighbours_test
