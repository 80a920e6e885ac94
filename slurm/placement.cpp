// SPDX-License-Identifier: BSD-3-Clause
// Asking `tofa select`: see placement.hpp.
#include "placement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

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

// An error comes last, behind notes.
std::string last_line(const std::string& text) {
  std::string_view line = trim(text);
  while (!line.empty() && line.back() == '\n') line = trim(line.substr(0, line.size() - 1));
  line.remove_prefix(line.find_last_of('\n') + 1);
  constexpr std::string_view kPrefix = "tofa: ";
  if (line.substr(0, kPrefix.size()) == kPrefix) line.remove_prefix(kPrefix.size());
  return std::string(line);
}

std::string run_tofa(const Settings& settings, const std::vector<std::string>& arguments) {
  constexpr double kGrace = 3;  // to start, and to notice its own limit
  const auto result =
      run_child(settings.program, arguments, {.deadline_seconds = settings.time_limit + kGrace});
  if (result.end == ChildResult::End::deadline)
    throw Error(ErrorKind::unavailable,
                fmt::format("{} select did not answer within {} seconds", settings.program,
                            settings.time_limit + kGrace));
  if (result.end != ChildResult::End::exited || result.status != 0)
    throw Error(ErrorKind::unavailable,
                result.errors.empty()
                    ? fmt::format("{} select failed (status {})", settings.program, result.status)
                    : last_line(result.errors));
  return result.output;
}

// A list of arguments in which options without a value are left out.
class Arguments {
 public:
  Arguments(const Settings& settings, const std::string& graph)
      : list_{"select", "--quiet", "--format", "hostfile", "--graph", graph} {
    add("--topology", settings.topology);
    add("--outages", settings.outages);
    if (settings.outages.empty()) add("--health", settings.health);
    add("--objective", settings.objective);
    add("--time-limit", fmt::format("{}", settings.time_limit));
  }

  void add(const char* option, const std::string& value) {
    if (!value.empty()) list_.insert(list_.end(), {option, value});
  }
  void add(const char* option, std::optional<unsigned> value) {
    if (value) add(option, std::to_string(*value));
  }
  std::vector<std::string> list() && { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

}  // namespace

std::vector<std::string> select_arguments(const Settings& settings, const std::string& graph,
                                          const Step& step) {
  Arguments arguments(settings, graph);
  if (all_alike(step.nodes)) {
    std::vector<NodeSlots> once = step.nodes;
    for (NodeSlots& node : once) node.slots = 1;
    arguments.add("--nodes", nodes_argument(once));
    arguments.add("--slots", step.nodes.front().slots);
  } else {
    arguments.add("--nodes", nodes_argument(step.nodes));
  }
  arguments.add("--node-count", step.use);
  return std::move(arguments).list();
}

std::vector<std::string> select_arguments(const Settings& settings, const std::string& graph,
                                          const Job& job) {
  Arguments arguments(settings, graph);
  arguments.add("--partition", job.partition);
  arguments.add("--exclude", job.exclude);
  arguments.add("--node-count", job.use);
  arguments.add("--ntasks-per-node", job.ntasks_per_node);
  if (job.slots)
    arguments.add("--slots", job.slots);
  else
    arguments.add("--cpus-per-task", job.cpus_per_task);
  return std::move(arguments).list();
}

std::vector<std::string> read_mapping(const std::string& text, unsigned ranks) {
  std::vector<std::string> mapping;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) mapping.emplace_back(line);
  if (mapping.size() != ranks)
    throw Error(ErrorKind::unavailable,
                fmt::format("the graph describes {} ranks, the step has {}; profile a run with {} "
                            "ranks",
                            mapping.size(), ranks, ranks));
  return mapping;
}

void check_mapping(const std::vector<std::string>& mapping, const Step& step) {
  std::map<std::string, unsigned> free_slots;
  for (const NodeSlots& node : step.nodes) free_slots[node.name] = node.slots;
  for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
    const auto slots = free_slots.find(mapping[rank]);
    if (slots == free_slots.end() || slots->second == 0)
      throw Error(
          ErrorKind::unavailable,
          fmt::format("tofa select put rank {} on {}, which {}", rank, excerpt(mapping[rank]),
                      slots == free_slots.end() ? "is not allocated" : "is full"));
    --slots->second;
  }
}

std::vector<std::string> place_step(const Settings& settings, const std::string& graph,
                                    const Step& step) {
  auto mapping =
      read_mapping(run_tofa(settings, select_arguments(settings, graph, step)), step.ranks);
  check_mapping(mapping, step);
  return mapping;
}

std::vector<std::string> place_job(const Settings& settings, const std::string& graph,
                                   const Job& job) {
  return read_mapping(run_tofa(settings, select_arguments(settings, graph, job)), job.ranks);
}

}  // namespace tofa::spank
