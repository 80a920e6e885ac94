// SPDX-License-Identifier: BSD-3-Clause
// The planner's C interface and its course: read what there is, find out how many ranks each node
// takes, place, and fall back to the default mapping when placing fails. See planner.h.
#include "planner.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <set>

#include "planner_arrange.hpp"
#include "planner_claims.hpp"
#include "planner_groups.hpp"
#include "planner_inputs.hpp"
#include "planner_report.hpp"
#include "planner_settings.hpp"
#include "tofa/error.hpp"
#include "tofa/job_log.hpp"
#include "tofa/place.hpp"

namespace tofa::planner {
namespace {

// The part of the traffic that stays among the ranks of a group.
CommGraph graph_of(const Group& group, const Inputs& inputs, bool alone) {
  if (alone) return inputs.graph;
  if (inputs.neighbours) return CommGraph::neighbours_in_rank_order(group.ranks);
  Traffic part;
  part.ranks = group.ranks;
  const auto inside = [&group](Rank rank) {
    return rank >= group.first && rank < group.first + group.ranks;
  };
  for (const TrafficEntry& e : inputs.traffic.entries) {
    if (inside(e.sender) && inside(e.receiver))
      part.entries.push_back({e.sender - group.first, e.receiver - group.first, e.value});
  }
  return CommGraph(part);
}

// The needs of a group's own ranks, counted from its first.
std::vector<ResourceNeed> needs_of(const Group& group, const std::vector<ResourceNeed>& needs,
                                   bool alone) {
  if (alone) return needs;
  std::vector<ResourceNeed> result;
  for (const ResourceNeed& need : needs) {
    if (need.any > 0) {
      throw Error(ErrorKind::unmet,
                  fmt::format("gres={}={}: which ranks are meant is not clear, since the "
                              "applications of the job run on different nodes; name them, as in "
                              "gres={}:0-3",
                              need.resource, need.any, need.resource));
    }
    ResourceNeed own{need.resource, {}, 0};
    for (const Rank rank : need.ranks) {
      if (rank >= group.first && rank < group.first + group.ranks)
        own.ranks.push_back(rank - group.first);
    }
    if (!own.ranks.empty()) result.push_back(std::move(own));
  }
  return result;
}

// Places a group where the default would put it and in whatever room is left; takes what it uses
// off `left`.
Placement place_group(const Group& group, const Inputs& inputs, PlaceOptions options, bool alone,
                      std::vector<unsigned>& left) {
  options.needs = needs_of(group, options.needs, alone);
  Allocation allocation;
  std::vector<std::size_t> index_of(inputs.topology->nodes());
  for (std::size_t i = 0; i < group.nodes.size(); ++i) {
    left[group.nodes[i]] += group.filled[i];
    allocation.push_back({inputs.node_of[group.nodes[i]], left[group.nodes[i]]});
    index_of[inputs.node_of[group.nodes[i]]] = group.nodes[i];
  }
  PlaceOptions now = options;
  // As `tofa map` does, so that both do the same work and find the same mapping.
  now.started = std::chrono::steady_clock::now();
  Placement placement =
      place(graph_of(group, inputs, alone), *inputs.topology, inputs.outages, allocation, now);
  for (const Node node : placement.mapping) --left[index_of[node]];
  return placement;
}

// Places every group, puts the parts together and compares them with the default.
Placement place_groups(const std::vector<Group>& groups, std::vector<unsigned> left,
                       const std::vector<unsigned>& by_default, const Inputs& inputs,
                       PlaceOptions options) {
  options.time_limit_seconds /= static_cast<double>(groups.size());
  const bool alone = groups.size() == 1;
  Placement all;
  for (const Group& group : groups) {
    const Placement part = place_group(group, inputs, options, alone, left);
    all.mapping.insert(all.mapping.end(), part.mapping.begin(), part.mapping.end());
    all.origin = part.origin;
    all.elapsed_seconds += part.elapsed_seconds;
    all.out_of_time = all.out_of_time || part.out_of_time;
  }
  Mapping linear;
  for (const unsigned node : by_default) linear.push_back(inputs.node_of[node]);
  all.by_default = linear;
  all.chosen =
      evaluate(inputs.graph, *inputs.topology, inputs.outages, all.mapping, options.abort_cost);
  all.linear = evaluate(inputs.graph, *inputs.topology, inputs.outages, linear, options.abort_cost);
  all.chosen_cost = objective_value(options.objective, all.chosen, options.abort_cost);
  all.linear_cost = objective_value(options.objective, all.linear, options.abort_cost);
  return all;
}

struct Decision {
  std::vector<unsigned> node_of_rank;
  std::vector<bool> excluded;  // per node of the job
  std::string report;
  LogEntry entry;  // for the site
};

// Nodes without ranks: all of them, or, when the job is going to spawn, only the suspect ones.
void exclude_nodes(const tofa_job& job, const Settings& settings, const Inputs& inputs,
                   Decision& decision) {
  decision.excluded.resize(job.node_count);
  for (std::size_t i = 0; i < job.node_count; ++i)
    decision.excluded[i] = !settings.spawn || inputs.outages.suspect(inputs.node_of[i]);
  for (const unsigned node : decision.node_of_rank) decision.excluded[node] = false;
}

// Fills the groups without dead nodes where that is possible, else with those last. Returns the
// slots left.
std::vector<unsigned> fill_alive(const tofa_job& job, std::vector<Group>& groups,
                                 const Inputs& inputs) {
  std::vector<Group> alive_only = groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<unsigned>& nodes = groups[i].nodes;
    const auto first_dead = std::stable_partition(
        nodes.begin(), nodes.end(),
        [&inputs](unsigned node) { return !inputs.outages.dead(inputs.node_of[node]); });
    alive_only[i].nodes.assign(nodes.begin(), first_dead);
  }
  try {
    std::vector<unsigned> left = fill_groups(job, alive_only);
    groups = std::move(alive_only);
    return left;
  } catch (const Error&) {
    return fill_groups(job, groups);
  }
}

void warn_of_dead_nodes(const tofa_job& job, const Inputs& inputs, const Decision& decision,
                        Notes& notes) {
  std::set<std::string> dead;
  std::size_t ranks = 0;
  for (const unsigned node : decision.node_of_rank) {
    if (!inputs.outages.dead(inputs.node_of[node])) continue;
    dead.insert(job.nodes[node].name);
    ++ranks;
  }
  if (!dead.empty()) {
    notes.degraded(
        fmt::format("{} of {} ranks have to run on nodes that are down ({}), since the others have "
                    "too few slots; add nodes or start fewer ranks",
                    ranks, decision.node_of_rank.size(), fmt::join(dead, ", ")),
        "they are used all the same");
  }
}

Decision default_decision(const std::vector<Group>& groups) {
  Decision decision;
  for (const Group& group : groups) {
    const auto part = default_mapping(group);
    decision.node_of_rank.insert(decision.node_of_rank.end(), part.begin(), part.end());
  }
  decision.report = "tofa: default mapping\n";
  decision.entry.declined = "no placement found";
  return decision;
}

// Without an answer from the search, the job starts with the default mapping.
Decision search(const tofa_job& job, const Settings& settings, std::vector<Group> groups,
                const Inputs& inputs, Notes& notes) {
  const std::vector<unsigned> by_default = default_decision(groups).node_of_rank;
  const std::vector<unsigned> left = fill_alive(job, groups, inputs);
  Placement placement;
  try {
    placement = place_groups(groups, left, by_default, inputs, settings.place);
  } catch (const std::exception& e) {
    // The default mapping knows nothing of resources that were asked for.
    if (!settings.place.needs.empty()) throw;
    notes.degraded(fmt::format("no placement found: {}", e.what()), "the default mapping is used");
    return default_decision(groups);
  }
  std::vector<unsigned> index_of(inputs.topology->nodes());
  for (std::size_t i = 0; i < job.node_count; ++i)
    index_of[inputs.node_of[i]] = static_cast<unsigned>(i);
  Decision decision;
  for (const Node node : placement.mapping) decision.node_of_rank.push_back(index_of[node]);
  if (settings.report) decision.report = format_report(job, settings, inputs, placement);
  if (!settings.log.empty())
    decision.entry.figures = format_figures(job, settings, inputs, placement);
  return decision;
}

char* copy(const std::string& text) {
  char* result = strdup(text.c_str());
  if (result == nullptr) throw std::bad_alloc();
  return result;
}

void hand_over(const Decision& decision, bool report, tofa_plan& plan) {
  plan.ranks = decision.node_of_rank.size();
  plan.node_of_rank =
      static_cast<unsigned*>(std::calloc(std::max<std::size_t>(plan.ranks, 1), sizeof(unsigned)));
  if (plan.node_of_rank == nullptr) throw std::bad_alloc();
  std::copy(decision.node_of_rank.begin(), decision.node_of_rank.end(), plan.node_of_rank);
  plan.excluded = static_cast<bool*>(
      std::calloc(std::max<std::size_t>(decision.excluded.size(), 1), sizeof(bool)));
  if (plan.excluded == nullptr) throw std::bad_alloc();
  std::copy(decision.excluded.begin(), decision.excluded.end(), plan.excluded);
  if (report) plan.report = copy(decision.report);
}

void hand_over(const std::vector<std::string>& warnings, tofa_plan& plan) {
  plan.warnings =
      static_cast<char**>(std::calloc(std::max<std::size_t>(warnings.size(), 1), sizeof(char*)));
  if (plan.warnings == nullptr) throw std::bad_alloc();
  for (const std::string& warning : warnings) plan.warnings[plan.warning_count++] = copy(warning);
}

// Never in the way: what cannot be written is said in the report, for who asked for one.
void write_log(const Settings& settings, const LogEntry& entry, std::string& report) {
  if (settings.log.empty()) return;
  const char* job = std::getenv("SLURM_JOB_ID");
  const std::string problem =
      append_to_log(settings.log, format_entry(entry, job == nullptr ? "" : job));
  if (!problem.empty())
    report += fmt::format("tofa: no line in the site's log ({}): {}\n", settings.log, problem);
}

// False when another launcher has taken nodes meanwhile: the plan is made anew.
bool decide(const tofa_job& whole, std::optional<NodeClaims>& claims, tofa_plan& plan) {
  const RemainingJob remaining(whole, claims ? claims->others() : std::vector<NodeClaim>{});
  const tofa_job& job = remaining.job();
  const Settings settings = read_settings(job);
  std::vector<Group> groups = group_apps(job);
  Rank ranks = 0;
  for (const Group& group : groups) ranks += group.ranks;
  if (ranks == 0) throw Error(ErrorKind::unmet, "the job has no ranks");
  fill_groups(job, groups);
  Notes notes(settings.strict ? Leniency::strict : Leniency::launcher);
  Inputs inputs = read_inputs(job, settings, ranks, notes);
  Decision decision = search(job, settings, groups, inputs, notes);
  warn_of_dead_nodes(job, inputs, decision, notes);
  exclude_nodes(job, settings, inputs, decision);
  if (claims && !claims->take(claim_of(job, decision.node_of_rank))) return false;
  decision.entry.warnings = notes.warnings().size();
  write_log(settings, decision.entry, decision.report);
  hand_over(notes.warnings(), plan);
  hand_over(decision, settings.report, plan);
  plan.traffic = keep_traffic(std::move(inputs.graph));
  return true;
}

// Launchers that start at the same time choose one after the other.
void decide(const tofa_job& job, tofa_plan& plan) {
  constexpr int attempts = 5;
  auto claims = read_claims();
  for (int i = 1; i < attempts && claims; ++i)
    if (decide(job, claims, plan)) return;
  claims.reset();
  decide(job, claims, plan);
}

}  // namespace
}  // namespace tofa::planner

extern "C" {

tofa_plan* tofa_make_plan(const tofa_job* job) {
  auto* plan = static_cast<tofa_plan*>(std::calloc(1, sizeof(tofa_plan)));
  if (plan == nullptr) return nullptr;
  try {
    tofa::planner::decide(*job, *plan);
  } catch (const std::exception& e) {
    plan->error = strdup(e.what());
  } catch (...) {
    plan->error = strdup("unknown error");
  }
  return plan;
}

void tofa_free_plan(tofa_plan* plan) {
  if (plan == nullptr) return;
  for (std::size_t i = 0; i < plan->warning_count; ++i) std::free(plan->warnings[i]);
  std::free(plan->warnings);
  std::free(plan->error);
  std::free(plan->node_of_rank);
  std::free(plan->excluded);
  std::free(plan->report);
  tofa::planner::drop_traffic(plan->traffic);
  std::free(plan);
}
}
