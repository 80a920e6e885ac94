// SPDX-License-Identifier: BSD-3-Clause
// How two graphs of as many ranks differ: two runs of a program, or two phases of one.
#pragma once

#include <cstddef>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

struct TrafficDifference {
  Rank sender = 0;
  Rank receiver = 0;
  Bytes first = 0;
  Bytes second = 0;
  // Of the larger of both, 0 to 1.
  double relative() const;
  Bytes absolute() const { return first > second ? first - second : second - first; }
  friend bool operator==(const TrafficDifference&, const TrafficDifference&) = default;
};

struct TrafficComparison {
  double total_first = 0;
  double total_second = 0;
  double apart = 0;           // sum of the differences of all pairs
  std::size_t pairs = 0;      // directed ones that exchange something in one of the graphs
  std::size_t differing = 0;  // of these, with a relative difference above the tolerance
  std::vector<TrafficDifference> largest;  // of those, the largest absolute difference first

  // What is not the same in both, of the larger total: 0 for equal graphs, 1 where one of them
  // sends nothing; up to 2 where both send as much, but to others.
  double relative() const;
};

// Of the pairs that differ, the first `most` are given. Throws Error (bad_input) when the numbers
// of ranks differ, or one graph counts bytes and the other messages.
TrafficComparison compare_traffic(const Traffic& first, const Traffic& second, double tolerance,
                                  std::size_t most);

}  // namespace tofa
