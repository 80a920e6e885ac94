// SPDX-License-Identifier: BSD-3-Clause
// What a job step asks for: see step.hpp.
#include "step.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/text.hpp"

namespace tofa::spank {
namespace {

std::optional<std::string> find(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  if (found == environment.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

unsigned number(const std::string& what, const std::string& text) {
  const auto value = parse_number<unsigned>(text);
  if (!value || *value == 0)
    throw Error(ErrorKind::unavailable, fmt::format("{} {} is not a number", what, excerpt(text)));
  return *value;
}

// The option, else the first variable that is set, else nothing.
std::optional<unsigned> first_number(const SrunCommand& command, const Environment& environment,
                                     const std::string& option,
                                     const std::vector<std::string>& variables) {
  if (const auto text = command.find(option)) return number("--" + option, *text);
  for (const std::string& variable : variables)
    if (const auto text = find(environment, variable)) return number(variable, *text);
  return std::nullopt;
}

// -N 4 or -N 2-4: the larger number, which Slurm takes when it can.
std::optional<unsigned> wanted_nodes(const SrunCommand& command) {
  const auto text = command.find("nodes");
  if (!text) return std::nullopt;
  return number("--nodes", text->substr(text->find_first_of("-,") + 1));
}

void require_single_job(const SrunCommand& command, const Environment& environment) {
  if (command.heterogeneous || find(environment, "SLURM_HET_SIZE"))
    throw Error(ErrorKind::unmet, "steps of several components cannot be placed");
  const auto job = command.find("jobid");
  if (job && job != find(environment, "SLURM_JOB_ID"))
    throw Error(ErrorKind::unmet,
                "the nodes of job " + *job + " are not known here; run srun inside that job");
}

// Nodes that are idle now say nothing about a job that starts later, or elsewhere.
void require_immediate_start(const SrunCommand& command, const Environment& environment) {
  for (const char* option : {"begin", "dependency"})
    if (command.find(option))
      throw Error(ErrorKind::unmet,
                  fmt::format("which nodes will be idle when --{} lets the job start is not known",
                              option));
  if (command.hold || find(environment, "SLURM_DEPENDENCY"))
    throw Error(ErrorKind::unmet, "which nodes will be idle when the job may start is not known");
  if (command.find("clusters") || find(environment, "SLURM_CLUSTERS"))
    throw Error(ErrorKind::unmet, "the idle nodes of other clusters (--clusters) are not known");
}

// Nodes and their processors, without those that --exclude names.
std::vector<NodeSlots> allocated_nodes(const SrunCommand& command, const Environment& environment) {
  const auto list = find(environment, "SLURM_JOB_NODELIST");
  const auto counts = find(environment, "SLURM_JOB_CPUS_PER_NODE");
  if (!list || !counts)
    throw Error(ErrorKind::unavailable,
                "SLURM_JOB_NODELIST and SLURM_JOB_CPUS_PER_NODE are not set");
  const auto names = expand_hostlist(*list);
  const auto cpus = expand_counts(*counts);
  if (names.size() != cpus.size())
    throw Error(ErrorKind::unavailable,
                fmt::format("SLURM_JOB_NODELIST has {} nodes, SLURM_JOB_CPUS_PER_NODE {}",
                            names.size(), cpus.size()));
  std::set<std::string> excluded;
  if (const auto text = command.find("exclude"))
    for (const std::string& name : expand_hostlist(*text)) excluded.insert(name);
  std::vector<NodeSlots> nodes;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (excluded.count(names[i]) == 0) nodes.push_back({names[i], cpus[i]});
  return nodes;
}

std::size_t total(const std::vector<NodeSlots>& nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), std::size_t{0},
                         [](std::size_t sum, const NodeSlots& node) { return sum + node.slots; });
}

std::vector<NodeSlots> with_cpus_per_task(std::vector<NodeSlots> nodes, unsigned cpus) {
  for (NodeSlots& node : nodes) node.slots /= cpus;
  return nodes;
}

// Processors become slots. SLURM_CPUS_PER_TASK is what the job asked for: the step may ask for
// less by having more ranks.
void count_slots(Step& step, const SrunCommand& command, const Environment& environment) {
  if (const auto cpus =
          first_number(command, environment, "cpus-per-task", {"SRUN_CPUS_PER_TASK"})) {
    step.nodes = with_cpus_per_task(step.nodes, *cpus);
  } else if (const auto inherited = find(environment, "SLURM_CPUS_PER_TASK")) {
    auto fewer = with_cpus_per_task(step.nodes, number("SLURM_CPUS_PER_TASK", *inherited));
    if (total(fewer) >= step.ranks) step.nodes = std::move(fewer);
  }
  if ((command.overcommit || find(environment, "SLURM_OVERCOMMIT")) && !step.nodes.empty()) {
    const auto each = static_cast<unsigned>((step.ranks - 1) / step.nodes.size() + 1);
    for (NodeSlots& node : step.nodes) node.slots = std::max(node.slots, each);
  }
  if (const auto most =
          first_number(command, environment, "ntasks-per-node", {"SLURM_NTASKS_PER_NODE"}))
    for (NodeSlots& node : step.nodes) node.slots = std::min(node.slots, *most);
  std::erase_if(step.nodes, [](const NodeSlots& node) { return node.slots == 0; });
}

// As srun counts them: the command line, the job, one for each node. With a hostfile srun does not
// multiply nodes by tasks per node.
unsigned count_ranks(const SrunCommand& command, const Environment& environment,
                     std::size_t nodes) {
  if (const auto ranks = first_number(command, environment, "ntasks", {"SLURM_NTASKS"}))
    return *ranks;
  if (command.find("ntasks-per-node") || find(environment, "SLURM_NTASKS_PER_NODE"))
    throw Error(ErrorKind::unmet,
                "--ntasks-per-node does not say how many ranks there are; add --ntasks (-n)");
  return wanted_nodes(command).value_or(static_cast<unsigned>(nodes));
}

}  // namespace

std::string conflict(const SrunCommand& command) {
  if (command.find("nodelist")) return "--nodelist (-w)";
  if (command.find("nodefile")) return "--nodefile (-F)";
  if (command.find("relative")) return "--relative (-r)";
  const std::string distribution = command.find("distribution").value_or("*");
  const std::string nodes = distribution.substr(0, distribution.find_first_of(":,="));
  if (nodes != "*" && nodes != "arbitrary") return "--distribution (-m) " + distribution;
  return {};
}

bool starts_daemons(const SrunCommand& command) {
  static const std::set<std::string> kDaemons = {"orted", "prted", "hydra_pmi_proxy",
                                                 "hydra_bstrap_proxy"};
  return kDaemons.count(command.program) > 0;
}

bool inside_allocation(const Environment& environment) {
  return find(environment, "SLURM_JOB_ID").has_value();
}

Step describe_step(const SrunCommand& command, const Environment& environment) {
  require_single_job(command, environment);
  Step step;
  step.nodes = allocated_nodes(command, environment);
  step.ranks = count_ranks(command, environment, step.nodes.size());
  count_slots(step, command, environment);
  if (total(step.nodes) < step.ranks)
    throw Error(ErrorKind::unmet,
                fmt::format("{} ranks need as many places, but the {} nodes of the allocation have "
                            "{}; ask for more nodes, or add --overcommit (-O)",
                            step.ranks, step.nodes.size(), total(step.nodes)));
  if (const auto wanted = wanted_nodes(command)) {
    step.use = std::min(*wanted, step.ranks);
    if (*step.use > step.nodes.size())
      throw Error(ErrorKind::unmet, fmt::format("--nodes (-N) {} is more than the {} nodes of the "
                                                "allocation that take a rank",
                                                *wanted, step.nodes.size()));
  }
  return step;
}

Job describe_job(const SrunCommand& command, const Environment& environment) {
  require_single_job(command, environment);
  require_immediate_start(command, environment);
  const auto setting = [&](const char* option, const char* variable) {
    return command.find(option).value_or(find(environment, variable).value_or(""));
  };
  Job job;
  job.partition = setting("partition", "SLURM_PARTITION");
  job.exclude = command.find("exclude").value_or("");
  if (job.exclude.find('/') != std::string::npos)
    throw Error(ErrorKind::unmet, "--exclude names a file; list the nodes");
  job.cpus_per_task =
      first_number(command, environment, "cpus-per-task", {"SRUN_CPUS_PER_TASK"}).value_or(1);
  job.ntasks_per_node =
      first_number(command, environment, "ntasks-per-node", {"SLURM_NTASKS_PER_NODE"});
  job.ranks = count_ranks(command, environment, 1);
  if (const auto wanted = wanted_nodes(command)) job.use = std::min(*wanted, job.ranks);
  if (job.use && (command.overcommit || find(environment, "SLURM_OVERCOMMIT")))
    job.slots = (job.ranks - 1) / *job.use + 1;
  return job;
}

std::vector<unsigned> expand_counts(std::string_view text) {
  constexpr std::size_t kLimit = 4'000'000;
  const std::string all(text);
  std::vector<unsigned> counts;
  const auto wrong = [&all] {
    return Error(ErrorKind::bad_input, excerpt(all) + " is not a list of counts such as 2(x3),1");
  };
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    std::size_t times = 1;
    if (const std::size_t open = item.find("(x"); open != std::string_view::npos) {
      const std::string_view repeated = item.substr(open + 2);
      const auto count = repeated.empty() || repeated.back() != ')'
                             ? std::nullopt
                             : parse_number<std::size_t>(repeated.substr(0, repeated.size() - 1));
      if (!count) throw wrong();
      times = *count;
      item = item.substr(0, open);
    }
    const auto value = parse_number<unsigned>(item);
    if (!value || times > kLimit - counts.size()) throw wrong();
    counts.insert(counts.end(), times, *value);
  }
  return counts;
}

}  // namespace tofa::spank
