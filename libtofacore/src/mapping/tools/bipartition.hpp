// SPDX-License-Identifier: BSD-3-Clause
// Cutting a graph in two parts of given sizes so that little traffic crosses the cut: multilevel
// bisection (Hendrickson and Leland, A multilevel algorithm for partitioning graphs, 1995) with
// Fiduccia-Mattheyses refinement, and a bias per vertex towards the side where what it talks to
// outside of the graph lies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "mapping/tools/random_source.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa {

// All edges together weigh about kMostWeight at most (and more by the number of pairs that would
// weigh less than one), and so do the biases: with these, or counted twice, they fit 32 bits.
struct PartitionGraph {
  static constexpr double kMostWeight = 1U << 29U;
  struct Edge {
    std::uint32_t to;
    std::int32_t weight;
  };
  std::vector<std::uint32_t> offsets{0};  // vertices + 1
  std::vector<Edge> edges;                // every edge from both ends
  std::vector<std::uint32_t> sizes;       // of the vertices
  // What it is worth that a vertex is on side 0 rather than on side 1.
  std::vector<std::int32_t> bias;

  std::uint32_t vertices() const { return static_cast<std::uint32_t>(sizes.size()); }
};

// Traffic as weights: bytes, or so many bytes each that all of them fit, rounded. What is less than
// one weighs as much as one, so that nobody who talks looks silent.
class TrafficWeights {
 public:
  // Of all pairs, each counted once.
  explicit TrafficWeights(double all_bytes)
      : per_byte_(std::min(1.0, PartitionGraph::kMostWeight / std::max(all_bytes, 1.0))) {}
  explicit TrafficWeights(Bytes all_bytes) : TrafficWeights(static_cast<double>(all_bytes)) {}

  std::int32_t of(double bytes) const {
    return bytes <= 0 ? 0 : static_cast<std::int32_t>(std::max(1.0, per_byte_ * bytes + 0.5));
  }
  std::int32_t operator()(Bytes bytes) const { return of(static_cast<double>(bytes)); }

 private:
  double per_byte_;
};

// A smaller graph in which pairs of vertices with a heavy edge between them are one, as long as
// they are not larger than `most`; 0: than a twelfth of all.
struct CoarserGraph {
  PartitionGraph graph;
  std::vector<std::uint32_t> coarse_of;  // by vertex of the finer one
};
CoarserGraph coarsen(const PartitionGraph& fine, RandomSource& random, std::uint64_t most = 0);

// Whether time is over. Asked now and then, by both lanes at once where both work; from then on,
// what is left is done in the quickest way.
using Stop = std::function<bool()>;
inline bool never_stop() {
  return false;
}

// How often a graph that is much smaller than the whole is coarsened further and cut. How that is
// done decides more than all that is mended later, and with two attempts, of which the better one
// is kept, a cut takes a quarter longer.
enum class Attempts { one, two };

// The side, 0 or 1, of every vertex. Side 0 has vertices of `size_0` together; exactly so when all
// vertices have size 1.
std::vector<std::uint8_t> bipartition(const PartitionGraph& graph, std::uint64_t size_0,
                                      RandomSource& random, const Stop& stop = never_stop,
                                      Attempts attempts = Attempts::one);

}  // namespace tofa
