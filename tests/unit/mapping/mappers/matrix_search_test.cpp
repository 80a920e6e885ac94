// SPDX-License-Identifier: BSD-3-Clause
// Every matrix that is found gives each position a place of its own, and the best brings those that
// talk close together.
#include "mapping/mappers/matrix_search.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "support/grid_traffic.hpp"
#include "support/mapping_task.hpp"

namespace tofa::matrix_search_test {
namespace {

// A rank on each slot of a torus whose extents are powers of two, known by its number.
struct Job {
  std::unique_ptr<Topology> torus;
  CommGraph graph;
  Allocation allocation;
  OutageMap none;
  PlaceOptions options;
  Trace trace{options};

  Job(const std::string& shape, CommGraph traffic, unsigned slots = 1)
      : torus(parse_topology("[topology]\nkind = \"torus\"\nshape = " + shape + "\nnodes = \"n[0-" +
                                 std::to_string(traffic.ranks() / slots - 1) + "]\"\n",
                             "torus.toml")),
        graph(std::move(traffic)) {
    for (Node node = 0; node < torus->nodes(); ++node) allocation.push_back({node, slots});
  }

  MappingTask task() {
    return test::task_of(graph, *torus, none, allocation, trace, parse_objective("hop-bytes"));
  }

  std::vector<Matrix> find(std::uint64_t seed, double seconds) {
    MappingTask own = task();
    own.seed = seed;
    own.seconds = seconds;
    std::vector<std::uint32_t> codes(graph.ranks());
    std::iota(codes.begin(), codes.end(), 0U);
    const HostBox box = *HostBox::of(own);
    return find_matrices(own, box, HostBits(box), codes);
  }

  double hops(const Matrix& matrix) {
    const HostBox box = *HostBox::of(task());
    const HostBits bits(box);
    Mapping mapping;
    for (Rank rank = 0; rank < graph.ranks(); ++rank)
      mapping.push_back(box.node_at(bits.cell(image(matrix, rank))));
    return evaluate(graph, *torus, none, mapping).average_hops_per_byte;
  }
};

CommGraph any_graph_of(Rank ranks) {
  Traffic traffic;
  traffic.ranks = ranks;
  const int count = *rc::gen::inRange(0, 100);
  for (int i = 0; i < count; ++i) {
    const Rank one = *rc::gen::inRange<Rank>(0, ranks);
    traffic.entries.push_back({one, one ^ *rc::gen::element<Rank>(1, 2, 4, 32, 63), 10});
  }
  traffic.normalise();
  return CommGraph(traffic);
}

RC_GTEST_PROP(MatrixSearchProperty, GivesEveryPositionAPlace, ()) {
  const unsigned slots = *rc::gen::element(1U, 4U);
  const std::string line = slots == 1 ? "8]" : "2]";
  Job job(*rc::gen::element<std::string>("[4, 2, ", "[2, 2, 2, ", "[8, ") + line, any_graph_of(64),
          slots);
  for (const Matrix& matrix : job.find(*rc::gen::arbitrary<std::uint64_t>(), 0.01)) {
    std::set<std::uint32_t> places;
    for (std::uint32_t code = 0; code < 64; ++code) places.insert(image(matrix, code));
    RC_ASSERT(places.size() == 64U);
    RC_ASSERT(*places.rbegin() == 63U);
  }
}

TEST(MatrixSearch, FindsNoneWhereADimensionIsTooLong) {
  EXPECT_FALSE(Job("[1024]", CommGraph::neighbours_in_rank_order(1024)).find(1, 0.01).empty());
  EXPECT_TRUE(Job("[2048]", CommGraph::neighbours_in_rank_order(2048)).find(1, 0.01).empty());
}

// 1.3125 is the least that has ever been found.
TEST(MatrixSearch, FindsTheBestOfRingsAndHalves) {
  Job job("[8, 8, 8]", test::rings_and_halves(32, 16));
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    double least = HUGE_VAL;
    for (const Matrix& matrix : job.find(seed, 0.3)) least = std::min(least, job.hops(matrix));
    sum += least;
  }
  EXPECT_LT(sum / 5, 1.325);
}

}  // namespace
}  // namespace tofa::matrix_search_test
