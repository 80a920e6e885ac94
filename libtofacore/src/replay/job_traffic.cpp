// SPDX-License-Identifier: BSD-3-Clause
// From the traffic between ranks to that between nodes: what ranks of one node send each other is
// on no link and drops out, and what is left is a graph as small as the job has nodes.
#include "tofa/job_traffic.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "mapping/tools/multisection.hpp"
#include "replay/kept_traffic.hpp"
#include "replay/traffic_class.hpp"
#include "tofa/file_io.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/grid_traffic.hpp"

namespace tofa {
namespace {

constexpr std::string_view kNothingKnown = "none";

// `*` stands for any text, `?` for a character.
bool name_matches(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  std::size_t p = 0;
  while (at < name.size()) {
    if (p < pattern.size() && (pattern[p] == name[at] || pattern[p] == '?')) {
      ++p;
      ++at;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = at;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string with_ranks(std::string path, Rank ranks) {
  constexpr std::string_view mark = "{ranks}";
  const std::size_t at = path.find(mark);
  if (at != std::string::npos) path.replace(at, mark.size(), std::to_string(ranks));
  return path;
}

bool profile_exists(const std::string& path) {
  return names_grid(path) || path_exists(path) || path_exists(path + ".bytes.mtx");
}

CommGraph between_nodes(const Traffic& traffic, const std::vector<std::uint32_t>& node_of,
                        unsigned nodes) {
  Traffic sum{.ranks = nodes, .entries = {}, .metadata = {}};
  for (const auto& [sender, receiver, value] : traffic.entries) {
    if (node_of[sender] != node_of[receiver])
      sum.entries.push_back({node_of[sender], node_of[receiver], value});
  }
  sum.normalise();
  return CommGraph(sum);
}

PartitionGraph partition_graph_of(const CommGraph& graph) {
  const TrafficWeights weight_of(graph.total_bytes());
  PartitionGraph parts;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank))
      parts.edges.push_back({edge.partner, weight_of(edge.bytes)});
    parts.offsets.push_back(static_cast<std::uint32_t>(parts.edges.size()));
  }
  parts.sizes.assign(graph.ranks(), 1);
  parts.bias.assign(graph.ranks(), 0);
  return parts;
}

// Ranks in blocks, one for each node.
std::vector<std::uint32_t> blocks_of(Rank ranks, unsigned nodes) {
  std::vector<std::uint32_t> node_of(ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    node_of[rank] = static_cast<std::uint32_t>(std::uint64_t{rank} * nodes / ranks);
  return node_of;
}

NodeTraffic node_traffic(const Traffic& traffic, unsigned nodes, std::uint64_t seed) {
  const std::vector<std::uint32_t> blocks = blocks_of(traffic.ranks, nodes);
  NodeTraffic result;
  result.blocks = between_nodes(traffic, blocks, nodes);
  result.groups = result.blocks;
  if (traffic.ranks == nodes) return result;
  std::vector<std::uint32_t> sizes(nodes);
  for (const std::uint32_t block : blocks) ++sizes[block];
  RandomSource random(seed);
  const auto groups = cut_in_parts(partition_graph_of(CommGraph(traffic)), sizes, random);
  CommGraph grouped = between_nodes(traffic, groups, nodes);
  if (grouped.total_bytes() < result.blocks.total_bytes()) result.groups = std::move(grouped);
  return result;
}

}  // namespace

JobTraffic::JobTraffic(std::vector<TrafficRule> rules, double communication, std::uint64_t seed,
                       std::size_t most_bytes)
    : rules_(std::move(rules)),
      communication_(communication),
      seed_(seed),
      kept_(std::make_unique<KeptTraffic>(most_bytes)) {
  if (rules_.empty()) rules_.push_back({.profile = {}, .traffic_class = "random"});
}

JobTraffic::~JobTraffic() = default;

TrafficOfJob JobTraffic::of(const LoggedJob& job, unsigned nodes) {
  if (nodes < 2 || job.ranks < nodes) return {nullptr, 0};
  for (const TrafficRule& rule : rules_) {
    if (!name_matches(rule.name, job.name)) continue;
    const double share = rule.communication < 0 ? communication_ : rule.communication;
    if (rule.traffic_class == kNothingKnown) return {nullptr, 0};
    const std::string source =
        rule.profile.empty() ? "class " + rule.traffic_class : with_ranks(rule.profile, job.ranks);
    if (!rule.profile.empty() && !profile_exists(source)) continue;
    const NodeTraffic* traffic = build(job, source, nodes);
    if (traffic != nullptr) return {traffic, share};
  }
  return {nullptr, 0};
}

// Null for a profile of another number of ranks.
const NodeTraffic* JobTraffic::build(const LoggedJob& job, const std::string& source,
                                     unsigned nodes) {
  const bool made_up = source.starts_with("class ");
  const std::string key =
      fmt::format("{} {} {} {}", job.ranks, nodes, made_up ? job.name : "", source);
  if (const KeptTraffic::Entry* known = kept_->find(key)) return known->traffic.get();
  Traffic traffic;
  if (made_up) {
    const TrafficClass* which =
        find_entry(traffic_class_registry(), std::string_view(source).substr(6));
    traffic = which == nullptr ? random_traffic(job.name, job.ranks, seed_)
                               : make_traffic(*which, job.name, job.ranks, seed_);
  } else {
    traffic = read_traffic(source);
    if (traffic.ranks != job.ranks) return kept_->keep(key, nullptr);
  }
  const double begin = clock_ ? clock_() : 0;
  auto between = std::make_unique<NodeTraffic>(node_traffic(traffic, nodes, seed_));
  if (clock_) between->grouping_seconds = clock_() - begin;
  return kept_->keep(key, std::move(between));
}

}  // namespace tofa
