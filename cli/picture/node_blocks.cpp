// SPDX-License-Identifier: BSD-3-Clause
// Ranks sorted by node: see node_blocks.hpp.
#include "picture/node_blocks.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace tofa::cli {

RankOrder order_by_node(const std::vector<std::uint32_t>& node_of,
                        const std::function<std::string(std::uint32_t)>& name) {
  const auto ranks = static_cast<Rank>(node_of.size());
  RankOrder order;
  order.rank_at.resize(ranks);
  std::iota(order.rank_at.begin(), order.rank_at.end(), Rank{0});
  std::stable_sort(order.rank_at.begin(), order.rank_at.end(),
                   [&](Rank a, Rank b) { return node_of[a] < node_of[b]; });
  for (Rank at = 0; at < ranks; ++at) {
    const std::uint32_t node = node_of[order.rank_at[at]];
    if (at == 0 || node != node_of[order.rank_at[at - 1]])
      order.blocks.push_back({name(node), at, at});
    order.blocks.back().end = at + 1;
  }
  if (std::is_sorted(order.rank_at.begin(), order.rank_at.end())) {
    order.rank_at.clear();
    return order;
  }
  order.position.resize(ranks);
  for (Rank at = 0; at < ranks; ++at) order.position[order.rank_at[at]] = at;
  return order;
}

RankOrder order_by_host(const std::vector<std::string>& hosts) {
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::string> names;
  std::vector<std::uint32_t> node_of;
  node_of.reserve(hosts.size());
  for (const std::string& host : hosts) {
    const auto [known, is_new] = numbers.emplace(host, names.size());
    if (is_new) names.push_back(host);
    node_of.push_back(known->second);
  }
  return order_by_node(node_of, [&names](std::uint32_t node) { return names[node]; });
}

bool worth_outlining(const RankOrder& order, Rank ranks) {
  constexpr std::size_t most = 128;
  return order.blocks.size() > 1 && order.blocks.size() <= most && order.blocks.size() < ranks;
}

double share_between_nodes(const Traffic& traffic, const RankOrder& order) {
  std::vector<std::size_t> block_at(traffic.ranks);
  for (std::size_t block = 0; block < order.blocks.size(); ++block) {
    for (Rank at = order.blocks[block].first; at < order.blocks[block].end; ++at)
      block_at[at] = block;
  }
  double between = 0;
  double total = 0;
  for (const TrafficEntry& entry : traffic.entries) {
    const auto value = static_cast<double>(entry.value);
    total += value;
    if (block_at[order.position_of(entry.sender)] != block_at[order.position_of(entry.receiver)])
      between += value;
  }
  return total > 0 ? between / total : 0;
}

}  // namespace tofa::cli
