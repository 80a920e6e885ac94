// SPDX-License-Identifier: BSD-3-Clause
// Ranks as points in space, of which those lie near each other that few partners lie in between:
// the shape of a mesh or of particles, where the traffic comes from any. Coordinates are those
// that the hops to a few ranks all over the graph fit best (U. Brandes and C. Pich, Eigensolver
// methods for progressive multidimensional scaling of large data, 2006), which takes time in
// proportion to the pairs.
#pragma once

#include <cstddef>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

struct Drawing {
  static constexpr std::size_t kMostDimensions = 3;

  struct Dimension {
    bool ring;              // closed upon itself
    double length;          // of all of it, compared to others of the drawing
    std::vector<float> at;  // by rank; in rounds, from 0 to 1, in a ring
  };
  std::vector<Dimension> dimensions;  // the longest first

  bool has_rings() const;
};

// With the rings that there are, and open; none where the traffic has no shape. Hops are counted
// from so many ranks, or from all if there are fewer. A few ranks that cannot be reached are drawn
// in the middle; of traffic that falls apart there is no drawing.
std::vector<Drawing> draw(const CommGraph& graph, unsigned pivots);

}  // namespace tofa
