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
// so that the text stays short when nodes are alike. Where they are not it may be longer than what
// Linux takes as one argument, 128 KiB, so it is several.
std::vector<std::string> node_lists(const std::vector<NodeSlots>& nodes) {
  constexpr std::size_t names_at_once = 1024;
  constexpr std::size_t long_enough = 32768;
  std::vector<std::string> lists;
  const auto add = [&lists](std::vector<std::string>& names) {
    if (names.empty()) return;
    if (lists.empty() || lists.back().size() > long_enough) {
      lists.push_back(compress_hostlist(names));
    } else {
      lists.back() += "," + compress_hostlist(names);
    }
    names.clear();
  };
  for (unsigned level = 1;; ++level) {
    std::size_t found = 0;
    std::vector<std::string> names;
    for (const NodeSlots& node : nodes) {
      if (node.slots < level) continue;
      ++found;
      names.push_back(node.name);
      if (names.size() == names_at_once) add(names);
    }
    add(names);
    if (found == 0) return lists;
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
  constexpr std::string_view prefix = "tofa: ";
  if (line.substr(0, prefix.size()) == prefix) line.remove_prefix(prefix.size());
  return std::string(line);
}

Placed run_tofa(const Settings& settings, const std::vector<std::string>& arguments,
                unsigned ranks) {
  constexpr double grace = 7;  // to start, to wait for Slurm, and to notice its own limit
  const std::string name = settings.program + " select";
  const auto result =
      run_to_end(settings.program, arguments,
                 {.deadline_seconds = settings.time_limit.value_or(kTimeLimit) + grace}, name);
  if (result.status != 0) {
    throw Error(ErrorKind::unavailable,
                result.errors.empty() ? fmt::format("{} failed (status {})", name, result.status)
                                      : last_line(result.errors));
  }
  Placed placed{read_mapping(result.output, ranks), read_warnings(result.errors),
                read_comments(result.output, "#report "), ""};
  for (const std::string& figures : read_comments(result.output, "#figures "))
    placed.figures = figures;
  if (settings.strict && !placed.warnings.empty())
    throw Error(ErrorKind::unavailable, placed.warnings.front());
  return placed;
}

// A list of arguments in which options without a value are left out.
class Arguments {
 public:
  Arguments(const Settings& settings, const std::string& graph, unsigned ranks)
      : list_{"select",   "--quiet", "--best-effort", "--cached", "--format",
              "launcher", "--graph", graph,           "--ntasks", std::to_string(ranks)} {
    for (const Setting* setting : settings_of(FrontEnd::plugin)) add(*setting, settings);
  }

  // What the command knows, too: inputs as what the site file would say, all else as its options.
  void add(const Setting& setting, const Settings& settings) {
    const std::string name = setting.name;
    const auto given = settings.given.find(name);
    if (given != settings.given.end() && !given->second.empty() &&
        setting.offered(FrontEnd::command)) {
      if (setting.is_input) {
        add("--default", name + "=" + given->second);
      } else {
        add(option_name(setting), given->second);
      }
    }
  }

  void add(const std::string& option, const std::string& value) {
    if (!value.empty()) list_.insert(list_.end(), {option, value});
  }
  void add_nodes(const std::vector<NodeSlots>& nodes) {
    for (const std::string& list : node_lists(nodes)) add("--nodes", list);
  }
  void add(const char* option, std::optional<unsigned> value) {
    if (value) add(option, std::to_string(*value));
  }
  // Those of Slurm's options that decide how many ranks a node takes, as the command has them.
  void add_needs(const slurm::RankNeeds& needs) {
    add("--cpus-per-task", std::to_string(needs.cpus));
    add_limit("--ntasks-per-node", needs.ranks_per_node);
    add_limit("--ntasks-per-core", needs.ranks_per_core);
    add_limit("--ntasks-per-socket", needs.ranks_per_socket);
    add_limit("--ntasks-per-gpu", needs.ranks_per_gpu);
    add_limit("--threads-per-core", needs.threads_per_core);
    if (needs.memory_per_cpu > 0) add("--mem-per-cpu", std::to_string(needs.memory_per_cpu));
    add("--gres-per-task", slurm::format_gres(needs.gres));
    add("--gres", slurm::format_gres(needs.gres_of_node));
  }
  void add_limit(const char* option, unsigned most) {
    if (most > 0) add(option, std::to_string(most));
  }
  std::vector<std::string> list() && { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

}  // namespace

std::vector<std::string> select_arguments(const Settings& settings, const std::string& graph,
                                          const Step& step) {
  Arguments arguments(settings, graph, step.ranks);
  if (all_alike(step.nodes)) {
    std::vector<NodeSlots> once = step.nodes;
    for (NodeSlots& node : once) node.slots = 1;
    arguments.add_nodes(once);
    arguments.add("--slots", step.nodes.front().slots);
  } else {
    arguments.add_nodes(step.nodes);
  }
  arguments.add("--node-count", step.use);
  return std::move(arguments).list();
}

std::vector<std::string> select_arguments(const Settings& settings, const std::string& graph,
                                          const Job& job) {
  Arguments arguments(settings, graph, job.ranks);
  arguments.add("--partition", job.partition);
  arguments.add("--exclude", job.exclude);
  arguments.add("--node-count", job.use);
  if (job.slots) {
    arguments.add("--slots", job.slots);
    arguments.add_limit("--ntasks-per-node", job.needs.ranks_per_node);
  } else {
    arguments.add_needs(job.needs);
  }
  return std::move(arguments).list();
}

std::vector<std::string> read_mapping(const std::string& text, unsigned ranks) {
  std::vector<std::string> mapping;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);)
    if (!line.starts_with('#')) mapping.emplace_back(line);
  if (mapping.size() != ranks) {
    throw Error(ErrorKind::unavailable,
                fmt::format("tofa select placed {} ranks, the step has {}", mapping.size(), ranks));
  }
  return mapping;
}

std::vector<std::string> read_comments(const std::string& text, std::string_view mark) {
  std::vector<std::string> comments;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);)
    if (line.starts_with(mark)) comments.emplace_back(line.substr(mark.size()));
  return comments;
}

std::vector<std::string> read_warnings(const std::string& errors) {
  constexpr std::string_view prefix = "tofa: warning: ";
  constexpr std::string_view option = "(named by --default)";
  std::vector<std::string> warnings;
  LineReader lines(errors);
  for (std::string_view line; lines.next(line);) {
    if (!line.starts_with(prefix)) continue;
    std::string text(line.substr(prefix.size()));
    if (const std::size_t at = text.find(option); at != std::string::npos)
      text.replace(at, option.size(), "(named by plugstack.conf)");
    warnings.push_back(std::move(text));
  }
  return warnings;
}

void check_mapping(const std::vector<std::string>& mapping, const Step& step) {
  std::map<std::string, unsigned> free_slots;
  for (const NodeSlots& node : step.nodes) free_slots[node.name] = node.slots;
  for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
    const auto slots = free_slots.find(mapping[rank]);
    if (slots == free_slots.end() || slots->second == 0) {
      throw Error(
          ErrorKind::unavailable,
          fmt::format("tofa select put rank {} on {}, which {}", rank, excerpt(mapping[rank]),
                      slots == free_slots.end() ? "is not allocated" : "is full"));
    }
    --slots->second;
  }
}

Placed place_step(const Settings& settings, const std::string& graph, const Step& step) {
  Placed placed = run_tofa(settings, select_arguments(settings, graph, step), step.ranks);
  check_mapping(placed.mapping, step);
  return placed;
}

Placed place_job(const Settings& settings, const std::string& graph, const Job& job) {
  return run_tofa(settings, select_arguments(settings, graph, job), job.ranks);
}

}  // namespace tofa::spank
