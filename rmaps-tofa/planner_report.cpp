// SPDX-License-Identifier: BSD-3-Clause
// Formatting the report; see planner_report.hpp.
#include "planner_report.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "tofa/hostlist.hpp"

namespace tofa::planner {
namespace {

std::string row(const char* what, double by_default, double chosen) {
  return fmt::format("tofa:   {:<20} default {:<12.6g} chosen {:.6g}\n", what, by_default, chosen);
}

std::string line(const char* what, const std::string& text) {
  return fmt::format("tofa:   {:<20} {}\n", what, text);
}

// A job that is certain to be aborted never ends; the objective's stand-in for that is a large
// number, which would only puzzle a reader.
double finite_cost(double cost, const Metrics& metrics) {
  return metrics.abort_probability < 1 ? cost : std::numeric_limits<double>::infinity();
}

std::string mapper_text(const Settings& settings, const Placement& placement) {
  if (settings.place.mapper == placement.mapper) return placement.mapper;
  return fmt::format("{} (from {})", settings.place.mapper, placement.mapper);
}

struct NodesByRole {
  std::vector<std::string> used;
  std::vector<std::string> avoided;        // suspect and idle, with the probability
  std::vector<std::string> used_suspects;  // suspect and in use, with the probability
  std::uint64_t healthy_slots = 0;
};

NodesByRole sort_nodes(const tofa_job& job, const Inputs& inputs, const Mapping& mapping) {
  NodesByRole nodes;
  std::vector<bool> in_use(inputs.topology->nodes());
  for (const Node node : mapping) in_use[node] = true;
  for (std::size_t i = 0; i < job.node_count; ++i) {
    const Node node = inputs.node_of[i];
    if (in_use[node]) nodes.used.emplace_back(job.nodes[i].name);
    if (!inputs.outages.suspect(node)) {
      nodes.healthy_slots += job.nodes[i].slots;
      continue;
    }
    const std::string text =
        fmt::format("{} (p = {:g})", job.nodes[i].name, inputs.outages.probability(node));
    (in_use[node] ? nodes.used_suspects : nodes.avoided).push_back(text);
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

std::string format_report(const tofa_job& job, const Settings& settings, const Inputs& inputs,
                          const Placement& placement) {
  const Metrics& before = placement.linear;
  const Metrics& after = placement.chosen;
  const NodesByRole nodes = sort_nodes(job, inputs, placement.mapping);
  std::string text = fmt::format("tofa: {} ranks on {} of {} nodes, mapper {}, {:.3f} s\n",
                                 placement.mapping.size(), nodes.used.size(), job.node_count,
                                 mapper_text(settings, placement), placement.elapsed_seconds);
  text += line("graph", inputs.graph_origin);
  text += line("topology", inputs.topology_origin);
  text += line("outages", inputs.outages_origin);
  text += line("objective", std::string(objective_name(settings.place.objective)));
  text += row("cost", finite_cost(placement.linear_cost, before),
              finite_cost(placement.chosen_cost, after));
  text += row("hops per byte", before.average_hops_per_byte, after.average_hops_per_byte);
  text += row("max link load", before.max_link_load, after.max_link_load);
  text += row("abort probability", before.abort_probability, after.abort_probability);
  text += line("nodes", compress_hostlist(nodes.used));
  text += suspects(nodes, placement.mapping.size());
  return text;
}

}  // namespace tofa::planner
