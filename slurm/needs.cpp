// SPDX-License-Identifier: BSD-3-Clause
// Reading what ranks need: see needs.hpp.
#include "needs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "request_value.hpp"
#include "tofa/error.hpp"

namespace tofa::spank {
namespace {

struct OptionOfBoth {
  const char* option;
  const char* variable;  // what srun, or its job, has instead
};

// How Slurm divides these among the ranks depends on more than is known here.
constexpr OptionOfBoth kNotCounted[] = {
    {"gpus-per-socket", "SLURM_GPUS_PER_SOCKET"},
    {"ntasks-per-tres", "SLURM_NTASKS_PER_TRES"},
    {"cpus-per-gpu", "SLURM_CPUS_PER_GPU"},
    {"mem-per-gpu", "SLURM_MEM_PER_GPU"},
    {"extra-node-info", "SLURM_EXTRA_NODE_INFO"},
    {"cores-per-socket", "SLURM_NCORES_PER_SOCKET"},
    {"sockets-per-node", "SLURM_NSOCKETS_PER_NODE"},
};

class Reader {
 public:
  Reader(const SrunCommand& command, const Environment& environment)
      : command_(command), environment_(environment) {}

  std::optional<std::string> text(const OptionOfBoth& option) const {
    if (auto given = command_.find(option.option)) return given;
    return find_variable(environment_, option.variable);
  }
  unsigned number(const OptionOfBoth& option) const {
    const auto value = text(option);
    return value ? positive_number("--" + std::string(option.option), *value) : 0;
  }
  template <class Parse>
  auto parsed(const OptionOfBoth& option, Parse parse) const {
    try {
      return parse(text(option).value_or(""));
    } catch (const Error& error) {
      throw Error(ErrorKind::unavailable, fmt::format("--{}: {}", option.option, error.what()));
    }
  }

  void refuse_what_is_not_counted() const {
    for (const OptionOfBoth& option : kNotCounted)
      if (text(option)) refuse(option.option);
  }
  [[noreturn]] static void refuse(const std::string& option) {
    throw Error(ErrorKind::unmet,
                fmt::format("how many ranks a node takes with --{} is not known here", option));
  }

 private:
  const SrunCommand& command_;
  const Environment& environment_;
};

slurm::GresCounts gpus(const std::string& text) {
  return text.empty() ? slurm::GresCounts{} : slurm::parse_gpus(text);
}

// --hint is short for other options; those that choose cores or sockets are not counted.
void read_threads(const Reader& reader, slurm::RankNeeds& rank) {
  rank.threads_per_core = reader.number({"threads-per-core", "SLURM_THREADS_PER_CORE"});
  rank.ranks_per_core = reader.number({"ntasks-per-core", "SLURM_NTASKS_PER_CORE"});
  rank.ranks_per_socket = reader.number({"ntasks-per-socket", "SLURM_NTASKS_PER_SOCKET"});
  const auto hint = reader.text({"hint", "SLURM_HINT"});
  if (!hint || *hint == "multithread") return;
  if (*hint != "nomultithread") Reader::refuse("hint=" + *hint);
  rank.threads_per_core = 1;
}

// Bound otherwise than one by one, ranks see other GPUs when more of them share a node.
void refuse_odd_binding(const Reader& reader) {
  const auto bind = reader.text({"gpu-bind", "SLURM_GPU_BIND"});
  if (bind && *bind != "closest") Reader::refuse("gpu-bind=" + *bind);
  // That one is what --gpus-per-task is since 23.11.
  const auto tres = reader.text({"tres-bind", "SLURM_TRES_BIND"});
  if (tres && !tres->starts_with("gres/gpu:per_task:")) Reader::refuse("tres-bind=" + *tres);
}

// Since 23.11 --cpus-per-task and --gpus-per-task of a job are this, too: cpu=2,gres/gpu:a100=1.
void read_tres(const Reader& reader, slurm::RankNeeds& rank) {
  constexpr std::string_view gpu = "gres/gpu";
  const std::string all = reader.text({"tres-per-task", "SLURM_TRES_PER_TASK"}).value_or("");
  for (std::string_view rest = all; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string item(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    std::replace(item.begin(), item.end(), '=', ':');
    if (item.starts_with("cpu:")) {
      rank.cpus = positive_number("--tres-per-task", item.substr(item.find(':') + 1));
    } else if (item.starts_with(gpu) && item.size() > gpu.size() && item[gpu.size()] == ':') {
      for (const auto& [name, count] : slurm::parse_gpus(item.substr(gpu.size() + 1)))
        rank.gres[name] = count;
    } else {
      Reader::refuse("tres-per-task=" + all);
    }
  }
}

void read_gpus(const Reader& reader, StepNeeds& needs) {
  refuse_odd_binding(reader);
  needs.rank.gres = reader.parsed({"gpus-per-task", "SLURM_GPUS_PER_TASK"}, gpus);
  read_tres(reader, needs.rank);
  needs.rank.ranks_per_gpu = reader.number({"ntasks-per-gpu", "SLURM_NTASKS_PER_GPU"});
  needs.rank.gres_of_node = reader.parsed({"gres", "SLURM_STEP_GRES"}, slurm::parse_gres);
  for (const auto& [name, count] : reader.parsed({"gpus-per-node", "SLURM_GPUS_PER_NODE"}, gpus)) {
    needs.rank.gres_of_node[name] = count;
  }
  needs.gpus_in_all = reader.parsed({"gpus", "SLURM_GPUS"}, gpus);
}

}  // namespace

StepNeeds needs_of(const SrunCommand& command, const Environment& environment) {
  const Reader reader(command, environment);
  reader.refuse_what_is_not_counted();
  StepNeeds needs;
  read_threads(reader, needs.rank);
  read_gpus(reader, needs);
  needs.rank.ranks_per_node = reader.number({"ntasks-per-node", "SLURM_NTASKS_PER_NODE"});
  needs.rank.memory_per_cpu =
      reader.parsed({"mem-per-cpu", "SLURM_MEM_PER_CPU"}, [](const std::string& text) {
        return text.empty() ? std::uint64_t{0} : slurm::parse_memory(text);
      });
  // Slurm 22.05 takes the job's processors per task for its steps only under the second name.
  if (const unsigned cpus = reader.number({"cpus-per-task", "SRUN_CPUS_PER_TASK"}); cpus > 0) {
    needs.rank.cpus = cpus;
  } else if (const auto inherited = find_variable(environment, "SLURM_CPUS_PER_TASK")) {
    needs.rank.cpus = positive_number("SLURM_CPUS_PER_TASK", *inherited);
    needs.cpus_inherited = true;
  }
  return needs;
}

}  // namespace tofa::spank
