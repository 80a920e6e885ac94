// SPDX-License-Identifier: BSD-3-Clause
// Cutting a graph in many parts of given sizes so that little traffic crosses between them, all
// pairs of parts being equally far apart: first by halves (bipartition.hpp), then by annealing over
// exchanges of two vertices. For each vertex it is kept what it exchanges with each part, so that a
// try takes the same time however many partners there are; only what is done touches those.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mapping/tools/bipartition.hpp"

namespace tofa {

// The part of every vertex. There is one edge between two vertices at most. `sizes` add up to those
// of the vertices, and are met as well as these allow: exactly when all vertices have size 1.
// All biases are 0.
std::vector<std::uint32_t> cut_in_parts(const PartitionGraph& graph,
                                        const std::vector<std::uint32_t>& sizes,
                                        RandomSource& random, const Stop& stop = never_stop,
                                        Attempts attempts = Attempts::one);

// The same in two lanes, for large graphs; what it finds differs.
std::vector<std::uint32_t> cut_side_by_side(const PartitionGraph& graph,
                                            const std::vector<std::uint32_t>& sizes,
                                            RandomSource& random, const Stop& stop = never_stop,
                                            Attempts attempts = Attempts::one);
// The same of a graph that nobody needs any more, in less memory.
std::vector<std::uint32_t> cut_side_by_side(PartitionGraph&& graph,
                                            const std::vector<std::uint32_t>& sizes,
                                            RandomSource& random, const Stop& stop = never_stop,
                                            Attempts attempts = Attempts::one);

// What crosses between parts.
std::int64_t cut_of(const PartitionGraph& graph, const std::vector<std::uint32_t>& parts);

// What crosses the border of the part that exchanges most with others.
std::int64_t longest_border_of(const PartitionGraph& graph,
                               const std::vector<std::uint32_t>& parts);

// How far a search is of which a share is done: that far, or further where it is late. From 1 on it
// is over.
using HowFar = std::function<double(double done)>;
inline double as_done(double done) {
  return done;
}

struct PartsSchedule {
  std::uint64_t tries;
  double start;  // temperatures, in units of what the median exchange changes at the start
  double end;
  HowFar how_far = as_done;
};

// Anneals `parts` and leaves it at the best it met; sizes stay as they are.
void anneal_parts(const PartitionGraph& graph, const PartsSchedule& schedule, RandomSource& random,
                  std::vector<std::uint32_t>& parts);

}  // namespace tofa
