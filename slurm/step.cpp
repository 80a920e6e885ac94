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

using slurm::NodeResources;

// The option, else the first variable that is set, else nothing.
std::optional<unsigned> first_number(const SrunCommand& command, const Environment& environment,
                                     const std::string& option,
                                     const std::vector<std::string>& variables) {
  if (const auto text = command.find(option)) return positive_number("--" + option, *text);
  for (const std::string& variable : variables) {
    if (const auto text = find_variable(environment, variable))
      return positive_number(variable, *text);
  }
  return std::nullopt;
}

// -N 4 or -N 2-4: the larger number, which Slurm takes when it can.
std::optional<unsigned> wanted_nodes(const SrunCommand& command) {
  const auto text = command.find("nodes");
  if (!text) return std::nullopt;
  return positive_number("--nodes", text->substr(text->find_first_of("-,") + 1));
}

// How many nodes a job with spare nodes would have without them.
std::optional<unsigned> nodes_without_spare(const Environment& environment) {
  const auto text = find_variable(environment, kNodesToUse);
  return text ? std::optional(positive_number(kNodesToUse, *text)) : std::nullopt;
}

void require_single_job(const SrunCommand& command, const Environment& environment) {
  if (command.heterogeneous || find_variable(environment, "SLURM_HET_SIZE"))
    throw Error(ErrorKind::unmet, "steps of several components cannot be placed");
  const auto job = command.find("jobid");
  if (job && job != find_variable(environment, "SLURM_JOB_ID")) {
    throw Error(ErrorKind::unmet,
                "the nodes of job " + *job + " are not known here; run srun inside that job");
  }
}

// Nodes that are idle now say nothing about a job that starts later, or elsewhere.
void require_immediate_start(const SrunCommand& command, const Environment& environment) {
  for (const char* option : {"begin", "dependency"}) {
    if (command.find(option)) {
      throw Error(ErrorKind::unmet,
                  fmt::format("which nodes will be idle when --{} lets the job start is not known",
                              option));
    }
  }
  if (command.hold || find_variable(environment, "SLURM_DEPENDENCY"))
    throw Error(ErrorKind::unmet, "which nodes will be idle when the job may start is not known");
  if (command.find("clusters") || find_variable(environment, "SLURM_CLUSTERS"))
    throw Error(ErrorKind::unmet, "the idle nodes of other clusters (--clusters) are not known");
}

// A job is tried on the nodes chosen, and whether Slurm refuses them is heard from srun.
void require_answer(const SrunCommand& command) {
  if (command.quiet > 1) {
    throw Error(ErrorKind::unmet,
                "with -QQ srun does not say whether the job can start at once on the nodes chosen; "
                "leave one Q out");
  }
}

void require_clear_options(const SrunCommand& command) {
  if (command.unclear.empty()) return;
  throw Error(ErrorKind::unmet,
              fmt::format("whether srun's option {0} takes the next word is not known here; write "
                          "{0}{1}VALUE, or another option behind it",
                          command.unclear, command.unclear.starts_with("--") ? "=" : ""));
}

// The nodes of the job, without those that --exclude names: their processors as the environment has
// them, all else as far as it is known. A job that goes on without a node (--no-kill) still has it
// in its environment; the controller does not.
std::vector<NodeResources> allocated_nodes(const SrunCommand& command,
                                           const Environment& environment, const JobState& state) {
  const auto list = find_variable(environment, "SLURM_JOB_NODELIST");
  const auto counts = find_variable(environment, "SLURM_JOB_CPUS_PER_NODE");
  if (!list || !counts) {
    throw Error(ErrorKind::unavailable,
                "SLURM_JOB_NODELIST and SLURM_JOB_CPUS_PER_NODE are not set");
  }
  const auto names = expand_hostlist(*list);
  const auto cpus = expand_counts(*counts);
  if (names.size() != cpus.size()) {
    throw Error(ErrorKind::unavailable,
                fmt::format("SLURM_JOB_NODELIST has {} nodes, SLURM_JOB_CPUS_PER_NODE {}",
                            names.size(), cpus.size()));
  }
  std::set<std::string> excluded;
  if (const auto text = command.find("exclude")) {
    const auto left_out = expand_hostlist(*text);
    excluded.insert(left_out.begin(), left_out.end());
  }
  std::map<std::string, const NodeResources*> known;
  for (const NodeResources& node : state.nodes) known[node.name] = &node;
  std::vector<NodeResources> nodes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (excluded.contains(names[i])) continue;
    const auto entry = known.find(names[i]);
    if (entry == known.end() && !known.empty()) continue;
    nodes.push_back(known.empty() ? NodeResources{} : *entry->second);
    nodes.back().name = names[i];
    nodes.back().cpus = cpus[i];
  }
  return nodes;
}

// As srun counts them: the command line, the job, one for each node. With a hostfile srun does not
// multiply nodes by tasks per node.
unsigned count_ranks(const SrunCommand& command, const Environment& environment,
                     std::size_t nodes) {
  if (const auto ranks = first_number(command, environment, "ntasks", {"SLURM_NTASKS"}))
    return *ranks;
  if (command.find("ntasks-per-node") || find_variable(environment, "SLURM_NTASKS_PER_NODE")) {
    throw Error(ErrorKind::unmet,
                "--ntasks-per-node does not say how many ranks there are; add --ntasks (-n)");
  }
  // srun then takes as many as the processors allow.
  if (command.find("cpus-per-task") || find_variable(environment, "SRUN_CPUS_PER_TASK")) {
    throw Error(ErrorKind::unmet,
                "--cpus-per-task does not say how many ranks there are; add --ntasks (-n)");
  }
  return wanted_nodes(command).value_or(
      nodes_without_spare(environment).value_or(static_cast<unsigned>(nodes)));
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

std::string forgotten_distribution(const SrunCommand& command, const Environment& environment) {
  const auto option = command.find("distribution");
  const std::string all =
      option.value_or(find_variable(environment, "SLURM_DISTRIBUTION").value_or(""));
  // What stands behind a comma is about nodes, and is kept.
  const std::string levels = all.substr(0, all.find(','));
  const std::size_t within = levels.find(':');
  if (within == std::string::npos) return {};
  if (levels.find_first_not_of("*:", within) == std::string::npos) return {};
  return (option ? "--distribution (-m) " : "SLURM_DISTRIBUTION=") + all;
}

bool starts_daemons(const SrunCommand& command) {
  static const std::set<std::string> daemons = {"orted", "prted", "hydra_pmi_proxy",
                                                "hydra_bstrap_proxy"};
  return daemons.count(command.program) > 0;
}

bool is_helper(const SrunCommand& command, const Environment& environment) {
  if (command.interactive) return true;
  return inside_allocation(environment) &&
         first_number(command, environment, "ntasks", {"SLURM_NTASKS"}) == 1U;
}

std::optional<unsigned> implied_ranks(const SrunCommand& command, const Environment& environment) {
  if (command.find("ntasks") || command.heterogeneous) return std::nullopt;
  const auto spare = find_variable(environment, kNodesToUse);
  // Of a job with spare nodes Slurm says how many ranks all of them would take.
  const auto each = command.find("ntasks-per-node") || !spare
                        ? command.find("ntasks-per-node")
                        : find_variable(environment, "SLURM_NTASKS_PER_NODE");
  if (find_variable(environment, "SLURM_NTASKS") && !(spare && each)) return std::nullopt;
  auto nodes = command.find("nodes");
  if (!nodes) nodes = spare;
  if (!nodes) nodes = find_variable(environment, "SLURM_JOB_NUM_NODES");
  if (!nodes || (!each && !spare)) return std::nullopt;
  const auto factor = parse_number<unsigned>(each.value_or("1"));
  const auto count = parse_number<unsigned>(*nodes);
  constexpr unsigned most = 1U << 24U;
  if (!factor || !count || *factor == 0 || *count == 0 || *factor > most / *count)
    return std::nullopt;
  return *factor * *count;
}

bool inside_allocation(const Environment& environment) {
  return find_variable(environment, "SLURM_JOB_ID").has_value();
}

namespace {

bool is_exact(const SrunCommand& command, const Environment& environment) {
  return command.exact || command.find("cpus-per-task") ||
         find_variable(environment, "SLURM_EXACT") ||
         find_variable(environment, "SRUN_CPUS_PER_TASK");
}

// On the node where it takes most: nodes of a job are as a rule alike.
unsigned cpus_taken_by_rank(const std::vector<NodeResources>& nodes,
                            const slurm::RankNeeds& needs) {
  unsigned most = needs.cpus;
  for (const NodeResources& node : nodes) most = std::max(most, slurm::cpus_taken(node, needs));
  return most;
}

// That many nodes, or one for each rank; nothing where they have too few places.
std::optional<unsigned> as_many_as(unsigned wanted, const Step& step) {
  std::vector<unsigned> slots;
  slots.reserve(step.nodes.size());
  for (const NodeSlots& node : step.nodes) slots.push_back(node.slots);
  std::sort(slots.rbegin(), slots.rend());
  slots.resize(std::min<std::size_t>({wanted, step.ranks, slots.size()}));
  if (std::accumulate(slots.begin(), slots.end(), std::uint64_t{0}) < step.ranks)
    return std::nullopt;
  return static_cast<unsigned>(slots.size());
}

// --nodes (-N), and all nodes where the GPUs of all of them are asked for. A job with spare nodes
// uses as many as it would have without them, as far as they do.
std::optional<unsigned> nodes_to_use(const SrunCommand& command, const Environment& environment,
                                     const StepNeeds& needs, const Step& step) {
  const bool all = !needs.gpus_in_all.empty();
  const auto wanted = wanted_nodes(command);
  if (!wanted && !all) {
    const auto of_job = nodes_without_spare(environment);
    return of_job ? as_many_as(*of_job, step) : std::nullopt;
  }
  const auto nodes = static_cast<unsigned>(step.nodes.size());
  const unsigned use = std::min(wanted.value_or(nodes), step.ranks);
  if (use > nodes) {
    throw Error(ErrorKind::unmet, fmt::format("--nodes (-N) {} is more than the {} nodes of the "
                                              "allocation that take a rank",
                                              use, nodes));
  }
  if (all && use < nodes)
    throw Error(ErrorKind::unmet, "the GPUs of --gpus are those of more nodes than get a rank");
  return use;
}

}  // namespace

Step describe_step(const SrunCommand& command, const Environment& environment,
                   const JobState& state, const std::vector<NodeClaim>& claimed) {
  require_clear_options(command);
  require_single_job(command, environment);
  const auto nodes = allocated_nodes(command, environment, state);
  PlaceRequest request;
  request.ranks = count_ranks(command, environment, nodes.size());
  request.needs = needs_of(command, environment);
  request.nodes = wanted_nodes(command);
  if (!request.nodes) request.nodes = nodes_without_spare(environment);
  request.overcommit = command.overcommit || find_variable(environment, "SLURM_OVERCOMMIT");
  request.overlaps = command.overlap || find_variable(environment, "SLURM_OVERLAP");
  request.exact = is_exact(command, environment);
  Step step;
  step.ranks = request.ranks;
  step.nodes = find_places(nodes, request, state, claimed);
  step.use = nodes_to_use(command, environment, request.needs, step);
  step.cpus_per_rank = request.exact ? cpus_taken_by_rank(nodes, request.needs.rank) : 0;
  step.overlaps = request.overlaps;
  return step;
}

NodeCounts claim_of(const Step& step, const std::vector<std::string>& mapping) {
  NodeCounts claim;
  if (step.overlaps) return claim;
  for (const std::string& node : mapping) {
    unsigned& taken = claim[node];
    taken = step.cpus_per_rank == 0 ? kWholeNode : taken + step.cpus_per_rank;
  }
  return claim;
}

Job describe_job(const SrunCommand& command, const Environment& environment) {
  require_clear_options(command);
  require_single_job(command, environment);
  require_immediate_start(command, environment);
  require_answer(command);
  const auto setting = [&](const char* option, const char* variable) {
    return command.find(option).value_or(find_variable(environment, variable).value_or(""));
  };
  Job job;
  job.partition = setting("partition", "SLURM_PARTITION");
  job.exclude = command.find("exclude").value_or("");
  if (job.exclude.find('/') != std::string::npos)
    throw Error(ErrorKind::unmet, "--exclude names a file; list the nodes");
  const StepNeeds needs = needs_of(command, environment);
  job.needs = needs.rank;
  if (!needs.gpus_in_all.empty())
    throw Error(ErrorKind::unmet, "which nodes give the GPUs of --gpus is not known here");
  job.ranks = count_ranks(command, environment, 1);
  if (const auto wanted = wanted_nodes(command)) job.use = std::min(*wanted, job.ranks);
  if (job.use && (command.overcommit || find_variable(environment, "SLURM_OVERCOMMIT")))
    job.slots = (job.ranks - 1) / *job.use + 1;
  // Ranks share the GPUs of their node: no more on it than Slurm would put there.
  if (job.use && !job.needs.gres_of_node.empty() && !needs.gpus_by_rank()) {
    const unsigned even = (job.ranks - 1) / *job.use + 1;
    job.needs.ranks_per_node =
        job.needs.ranks_per_node == 0 ? even : std::min(even, job.needs.ranks_per_node);
  }
  return job;
}

std::vector<unsigned> expand_counts(std::string_view text) {
  constexpr std::size_t limit = 4'000'000;
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
    if (!value || times > limit - counts.size()) throw wrong();
    counts.insert(counts.end(), times, *value);
  }
  return counts;
}

}  // namespace tofa::spank
