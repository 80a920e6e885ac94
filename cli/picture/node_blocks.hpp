// SPDX-License-Identifier: BSD-3-Clause
// The axes of a heatmap where it is known which rank runs on which node: ranks of a node stand
// beside each other, so that what stays inside nodes is in squares along the diagonal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa::cli {

// The ranks of a node, by their positions on an axis.
struct NodeBlock {
  std::string host;
  Rank first = 0;
  Rank end = 0;  // one behind the last
  friend bool operator==(const NodeBlock&, const NodeBlock&) = default;
};

// Which rank stands where on both axes. Without blocks: ranks in their order, on nodes unknown.
struct RankOrder {
  std::vector<Rank> rank_at;   // by position; empty: ranks in their order
  std::vector<Rank> position;  // by rank; likewise
  std::vector<NodeBlock> blocks;

  bool in_rank_order() const { return position.empty(); }
  Rank position_of(Rank rank) const { return position.empty() ? rank : position[rank]; }
  Rank rank_of(Rank at) const { return rank_at.empty() ? at : rank_at[at]; }
};

// Nodes in the order of their numbers, the ranks of each ascending. `node_of` is by rank.
RankOrder order_by_node(const std::vector<std::uint32_t>& node_of,
                        const std::function<std::string(std::uint32_t)>& name);
// Nodes in the order of their first ranks. `hosts` is by rank.
RankOrder order_by_host(const std::vector<std::string>& hosts);

// Whether squares around the nodes would tell something: some nodes have several ranks, and there
// are not so many that squares are dots.
bool worth_outlining(const RankOrder& order, Rank ranks);

// Of all traffic, what goes from one node to another, 0 to 1; 0 where there is none.
double share_between_nodes(const Traffic& traffic, const RankOrder& order);

}  // namespace tofa::cli
