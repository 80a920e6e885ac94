// SPDX-License-Identifier: BSD-3-Clause
// Asking `tofa map`: see placement.hpp.
#include "placement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tofa/child_process.hpp"
#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/text.hpp"

namespace tofa::spank {
namespace {

// A node that is listed twice has two slots. All nodes of at least 1, 2, ... slots are a list each,
// so that the text stays short when nodes are alike.
std::string nodes_argument(const std::vector<NodeSlots>& nodes) {
  std::string text;
  for (unsigned level = 1;; ++level) {
    std::vector<std::string> names;
    for (const NodeSlots& node : nodes)
      if (node.slots >= level) names.push_back(node.name);
    if (names.empty()) return text;
    text += (text.empty() ? "" : ",") + compress_hostlist(names);
  }
}

bool all_alike(const std::vector<NodeSlots>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](const NodeSlots& node) { return node.slots == nodes.front().slots; });
}

std::string short_name(const std::string& name) {
  return name.substr(0, name.find('.'));
}

// An error comes last, behind notes.
std::string last_line(const std::string& text) {
  std::string_view line = trim(text);
  while (!line.empty() && line.back() == '\n') line = trim(line.substr(0, line.size() - 1));
  line.remove_prefix(line.find_last_of('\n') + 1);
  constexpr std::string_view kPrefix = "tofa: ";
  if (line.substr(0, kPrefix.size()) == kPrefix) line.remove_prefix(kPrefix.size());
  return std::string(line);
}

std::string run_map(const Settings& settings, const std::string& graph,
                    const std::vector<NodeSlots>& nodes) {
  constexpr double kGrace = 3;  // to start, and to notice its own limit
  const auto result = run_child(settings.program, map_arguments(settings, graph, nodes),
                                {.deadline_seconds = settings.time_limit + kGrace});
  if (result.end == ChildResult::End::deadline)
    throw Error(ErrorKind::unavailable,
                fmt::format("{} map did not answer within {} seconds", settings.program,
                            settings.time_limit + kGrace));
  if (result.end != ChildResult::End::exited || result.status != 0)
    throw Error(ErrorKind::unavailable,
                result.errors.empty()
                    ? fmt::format("{} map failed (status {})", settings.program, result.status)
                    : last_line(result.errors));
  return result.output;
}

}  // namespace

std::vector<std::string> map_arguments(const Settings& settings, const std::string& graph,
                                       const std::vector<NodeSlots>& nodes) {
  std::vector<std::string> arguments = {"map", "--quiet", "--graph", graph};
  const auto add = [&arguments](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  if (all_alike(nodes)) {
    std::vector<NodeSlots> once = nodes;
    for (NodeSlots& node : once) node.slots = 1;
    add("--nodes", nodes_argument(once));
    add("--slots", std::to_string(nodes.front().slots));
  } else {
    add("--nodes", nodes_argument(nodes));
  }
  add("--topology", settings.topology);
  add("--outages", settings.outages);
  if (settings.outages.empty()) add("--health", settings.health);
  add("--objective", settings.objective);
  add("--time-limit", fmt::format("{}", settings.time_limit));
  return arguments;
}

std::vector<std::string> read_mapping(const std::string& text, const Step& step) {
  std::map<std::string, unsigned> free_slots;
  std::map<std::string, std::string> slurm_name;  // the topology may know it with its domain
  for (const NodeSlots& node : step.nodes) {
    free_slots[node.name] = node.slots;
    slurm_name[short_name(node.name)] = node.name;
  }
  std::vector<std::string> mapping;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    const std::string printed(line);
    const auto known = slurm_name.find(short_name(printed));
    const std::string name =
        free_slots.count(printed) > 0 || known == slurm_name.end() ? printed : known->second;
    const auto slots = free_slots.find(name);
    if (slots == free_slots.end() || slots->second == 0)
      throw Error(ErrorKind::unavailable,
                  fmt::format("tofa map put rank {} on {}, which {}", mapping.size(), excerpt(name),
                              slots == free_slots.end() ? "is not allocated" : "is full"));
    --slots->second;
    mapping.push_back(name);
  }
  if (mapping.size() != step.ranks)
    throw Error(ErrorKind::unavailable,
                fmt::format("the graph describes {} ranks, the step has {}; profile a run with {} "
                            "ranks",
                            mapping.size(), step.ranks, step.ranks));
  return mapping;
}

std::vector<NodeSlots> best_nodes(const Step& step, const std::vector<std::string>& mapping,
                                  unsigned use) {
  std::map<std::string, unsigned> ranks_on;
  for (const std::string& name : mapping) ++ranks_on[name];
  std::vector<NodeSlots> nodes = step.nodes;
  std::stable_sort(nodes.begin(), nodes.end(), [&](const NodeSlots& a, const NodeSlots& b) {
    return ranks_on[a.name] > ranks_on[b.name];
  });
  nodes.resize(use);
  // In Slurm's order again, which is the order of ties.
  std::vector<NodeSlots> chosen;
  std::size_t room = 0;
  for (const NodeSlots& node : step.nodes) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) continue;
    chosen.push_back(node);
    room += node.slots;
  }
  if (room < step.ranks)
    throw Error(ErrorKind::unmet,
                fmt::format("{} ranks do not fit on the {} nodes that --nodes (-N) asks for",
                            step.ranks, use));
  return chosen;
}

std::vector<std::string> place_step(const Settings& settings, const std::string& graph,
                                    const Step& step) {
  Step narrowed = step;
  if (step.use && *step.use < step.nodes.size()) {
    // First with few ranks a node, to see which nodes are good; then on those alone.
    const unsigned each = (step.ranks - 1) / *step.use + 1;
    std::vector<NodeSlots> thin = step.nodes;
    std::size_t room = 0;
    for (NodeSlots& node : thin) room += node.slots = std::min(node.slots, each);
    if (room < step.ranks) thin = step.nodes;
    narrowed.nodes =
        best_nodes(step, read_mapping(run_map(settings, graph, thin), step), *step.use);
  }
  if (step.use) narrowed.nodes = spread(narrowed.nodes, step.ranks);
  return read_mapping(run_map(settings, graph, narrowed.nodes), narrowed);
}

}  // namespace tofa::spank
