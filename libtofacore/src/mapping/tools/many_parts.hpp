// SPDX-License-Identifier: BSD-3-Clause
// Cutting a large graph in many parts in time that hardly grows with how many they are: the graph
// is coarsened once, the coarse one is cut by halves, and vertices at the borders change parts on
// the way back (Karypis and Kumar, Multilevel k-way partitioning scheme for irregular graphs,
// 1998). The cuts are a little worse than those of multisection.hpp, and far cheaper.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/tools/bipartition.hpp"

namespace tofa {

// The part of every vertex. All vertices have size 1, there is one edge between two vertices at
// most, and `sizes`, which are met exactly, add up to the number of vertices. Biases are not looked
// at.
std::vector<std::uint32_t> cut_in_many_parts(PartitionGraph graph,
                                             const std::vector<std::uint32_t>& sizes,
                                             RandomSource& random, const Stop& stop = never_stop);

// Vertices that are cut by halves, out of so many: what the time goes by.
double vertices_cut_by_halves(double vertices, double parts);

}  // namespace tofa
