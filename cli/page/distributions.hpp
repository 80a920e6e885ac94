// SPDX-License-Identifier: BSD-3-Clause
// What a page shows of traffic beside its matrix: how it is distributed over ranks, pairs, sizes,
// distances and links.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/topology.hpp"

namespace tofa::cli {

struct Bars {
  std::vector<std::string> labels;
  std::vector<double> values;  // one for each label
};

// How many ranks have so many partners; in powers of two where the numbers differ widely.
Bars ranks_by_partners(const CommGraph& graph);
// How many pairs exchange so much; in powers of two.
Bars pairs_by_amount(const CommGraph& graph, bool bytes);
// How many messages are so large, as far as that is known: those from one rank to another count
// with their mean size. Both are of the same run.
Bars messages_by_size(const Traffic& bytes, const Traffic& messages);
// What travels so many hops; the first is what stays inside nodes.
std::vector<double> amount_by_hops(const CommGraph& graph, const Topology& topology,
                                   const Mapping& mapping);

// Of values in descending order, `points` that are evenly spread, the first and the last of them
// included.
std::vector<double> descending_curve(std::vector<double> values, std::size_t points);
// At most `points` values: the largest of every so many.
std::vector<double> envelope(const std::vector<double>& values, std::size_t points);

}  // namespace tofa::cli
