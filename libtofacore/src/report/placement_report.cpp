// SPDX-License-Identifier: BSD-3-Clause
// Formatting the report: see placement_report.hpp.
#include "tofa/placement_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tofa/gain.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/site_log.hpp"

namespace tofa {
namespace {

std::string row(const char* what, double by_default, double chosen) {
  return fmt::format("tofa:   {:<20} default {:<12.6g} chosen {:.6g}\n", what, by_default, chosen);
}

std::string line(const char* what, const std::string& text) {
  return fmt::format("tofa:   {:<20} {}\n", what, text);
}

std::string mapper_text(const PlacementStory& story) {
  const std::string& origin = story.placement.origin;
  return story.mapper == origin ? origin : fmt::format("{} (from {})", story.mapper, origin);
}

struct NodesByRole {
  std::vector<std::string> used;
  std::vector<std::string> avoided;        // suspect and idle, with the probability
  std::vector<std::string> used_suspects;  // suspect and in use, with the probability
  std::uint64_t healthy_slots = 0;
};

NodesByRole sort_nodes(const PlacementStory& story) {
  NodesByRole nodes;
  std::vector<bool> in_use;
  for (const Node node : story.placement.mapping) {
    if (node >= in_use.size()) in_use.resize(node + 1);
    in_use[node] = true;
  }
  for (const ReportedNode& node : story.nodes) {
    const bool used = node.node < in_use.size() && in_use[node.node];
    if (used) nodes.used.push_back(node.name);
    if (!story.outages.suspect(node.node)) {
      nodes.healthy_slots += node.slots;
      continue;
    }
    const std::string text =
        fmt::format("{} (p = {:g})", node.name, story.outages.probability(node.node));
    (used ? nodes.used_suspects : nodes.avoided).push_back(text);
  }
  return nodes;
}

std::string suspects(const NodesByRole& nodes, std::size_t ranks) {
  std::string text;
  if (!nodes.avoided.empty())
    text += line("avoided", fmt::format("{}", fmt::join(nodes.avoided, ", ")));
  if (!nodes.used_suspects.empty()) {
    std::string why;
    if (nodes.healthy_slots < ranks)
      why = fmt::format("; the other nodes have {} slots for {} ranks", nodes.healthy_slots, ranks);
    text +=
        line("suspect but in use", fmt::format("{}{}", fmt::join(nodes.used_suspects, ", "), why));
  }
  return text;
}

}  // namespace

std::string format_report(const PlacementStory& story) {
  const Placement& placement = story.placement;
  const Metrics& before = placement.linear;
  const Metrics& after = placement.chosen;
  const NodesByRole nodes = sort_nodes(story);
  std::string text = fmt::format("tofa: {} ranks on {} of {} nodes, mapper {}, {}{:.3f} s{}\n",
                                 placement.mapping.size(), nodes.used.size(), story.nodes.size(),
                                 mapper_text(story), placement.remembered ? "remembered, " : "",
                                 placement.elapsed_seconds,
                                 placement.out_of_time ? ", cut short by the time limit" : "");
  text += line("graph", story.graph);
  text += line("topology", story.topology);
  text += line("outages", story.outages_origin);
  text += line("objective", std::string(objective_name(story.objective)));
  text += line("communication", speedup_text(before, after) + " (predicted)");
  text += row("hops per byte", before.average_hops_per_byte, after.average_hops_per_byte);
  text += row("max link load", before.max_link_load, after.max_link_load);
  text += row("abort probability", before.abort_probability, after.abort_probability);
  text += line("nodes", compress_hostlist(nodes.used));
  text += suspects(nodes, placement.mapping.size());
  return text;
}

std::string format_figures(const PlacementStory& story) {
  const Metrics& before = story.placement.linear;
  const Metrics& after = story.placement.chosen;
  const NodesByRole nodes = sort_nodes(story);
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  return format_log_line({{"ranks", std::to_string(story.placement.mapping.size())},
                          {"nodes", std::to_string(nodes.used.size())},
                          {"avoided", std::to_string(nodes.avoided.size())},
                          {"hops_default", number(before.average_hops_per_byte)},
                          {"hops_chosen", number(after.average_hops_per_byte)},
                          {"abort_default", number(before.abort_probability)},
                          {"abort_chosen", number(after.abort_probability)},
                          {"seconds", fmt::format("{:.3f}", story.placement.elapsed_seconds)}});
}

}  // namespace tofa
