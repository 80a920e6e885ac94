// SPDX-License-Identifier: BSD-3-Clause
// Candidates and how good they are: see candidates.hpp.
#include "mapping/search/candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "base/lanes.hpp"
#include "mapping/allocation.hpp"
#include "mapping/objective.hpp"
#include "mapping/rates.hpp"
#include "mapping/search/pair_cost.hpp"
#include "mapping/search/work_plan.hpp"

namespace tofa {
namespace {

constexpr std::string_view kGroup = "group";
constexpr std::size_t kMostVariants = 5;  // of a mapper, with what it would answer with

// Whether some of its ways cost more by equation 1 than their hops do.
bool is_burdened(const MappingTask& task, const Metrics& metrics) {
  constexpr double by_rounding = 1 + 1e-9;
  return task.objective->counts_fault_weights &&
         metrics.fault_weighted_cost > by_rounding * task.topology.hop_cost() * metrics.hop_bytes;
}

// Whether a candidate from the first turn is so good that others, which take long on a task of this
// size, need not be tried.
bool is_good_enough(const MappingTask& task, const Candidate& candidate) {
  constexpr Rank large = 50'000;
  constexpr double near_perfect = 1.25;
  return task.graph.ranks() > large && !is_exposed(task, candidate) &&
         !is_burdened(task, candidate.metrics) && !follows_link_costs(task) &&
         candidate.metrics.average_hops_per_byte <= near_perfect;
}

// What a mapper gets that uses all its time. Few ranks are placed in no time, the loads of links
// are for the search, and so is which seats some hundred ranks leave free.
double seconds_for_mapper(const MappingTask& task) {
  constexpr Rank few = 64;
  constexpr Rank some = 512;
  const Rank ranks = task.graph.ranks();
  const bool leave_some = ranks <= some && total_slots(task.allocation) > ranks;
  const bool search_helps = task.objective->counts_loads || ranks < few || leave_some;
  const double seconds = search_helps ? rates::kMapperShareBesideSearch * task.seconds
                                      : rates::kMapperShare * (task.seconds + task.more_seconds);
  return is_worth_searching(task, plan_work(task, seconds)) ? seconds : task.seconds;
}

double cost_of(std::string_view origin, const std::vector<Candidate>& candidates) {
  const auto it = std::find_if(candidates.begin(), candidates.end(), [origin](const Candidate& c) {
    return c.origin == origin && !c.variant;
  });
  return it == candidates.end() ? HUGE_VAL : it->cost;
}

// Cutting the graph, or placing many groups, takes long, and leads no further than a drawing of
// ranks that have a shape, or of components that do, and moves from there. In a search that is
// short it is not worth its time then; and groups on few nodes mostly lead less far, however long
// it is.
bool is_needless(const Mapper& mapper, const MappingTask& task,
                 const std::vector<Candidate>& before, const std::vector<Candidate>& found) {
  constexpr double far_below = 0.5;  // list order
  const double drawn = std::min(cost_of("geometric", found), cost_of("components", found));
  if (mapper.seconds == nullptr || drawn >= far_below * cost_of("linear", before)) return false;
  return mapper.seconds(task) > mapper.dear * task.seconds ||
         (mapper.name == kGroup && group_leads_no_further(task));
}

// Of what is found in either turn.
double least_hops_per_byte(const std::vector<Candidate>& before,
                           const std::vector<Candidate>& found) {
  double least = HUGE_VAL;
  for (const auto* candidates : {&before, &found}) {
    for (const Candidate& candidate : *candidates)
      least = std::min(least, candidate.metrics.average_hops_per_byte);
  }
  return least;
}

// Whether what takes all the time there is would take it from a search that goes on from groups: of
// very many ranks there is none left for both.
bool comes_too_late(const Mapper& mapper, const MappingTask& task,
                    const std::vector<Candidate>& found) {
  constexpr Rank very_many = 50'000;
  return mapper.uses_all_time && task.graph.ranks() > very_many &&
         cost_of(kGroup, found) < HUGE_VAL;
}

bool is_tried(const Mapper& mapper, const MappingTask& task, const std::vector<Candidate>& before,
              const std::vector<Candidate>& found) {
  if (comes_too_late(mapper, task, found)) return false;
  if (mapper.candidate(task) && !is_needless(mapper, task, before, found)) return true;
  return mapper.name == kGroup && group_would_help(task, least_hops_per_byte(before, found));
}

// When candidates are to be there for which nobody has a share of the time, or an estimate. A
// drawing that takes all of a slow core's time is worth less than one that is cut short and then
// searched on from.
Deadline due_of_candidates(const MappingTask& task) {
  constexpr double share = 0.6;
  const WorkPlan plan = plan_work(task);
  const bool searches = is_worth_searching(task, plan) && has_time_to_search(task, plan, 1 - share);
  return searches ? task.deadline.share(share) : task.deadline;
}

// Which mappers are tried.
using Chosen = bool (*)(const Mapper& mapper);

bool is_any(const Mapper& /*mapper*/) {
  return true;
}

bool is_first_or_baseline(const Mapper& mapper) {
  return mapper.turn == Turn::first || mapper.baseline;
}

// `before` is what the first turn found.
void run_turn(const MappingTask& task, Chosen chosen, Turn turn, const Deadline& due,
              const std::vector<Candidate>& before, std::vector<Candidate>& found) {
  const std::size_t most = starts_can_be_told(task) ? kMostVariants : 1;
  for (const Mapper* mapper : mapper_registry()) {
    if (mapper->turn != turn || !chosen(*mapper)) continue;
    if (!is_tried(*mapper, task, before, found)) continue;
    task.trace.report_progress();
    const bool is_due = !mapper->uses_all_time && mapper->seconds == nullptr;
    MappingTask own = task;
    if (is_due) own.deadline = due;
    if (own.deadline.passed()) {
      task.trace.hurry();
      if (turn != Turn::first || !found.empty()) continue;
    }
    const double start = task.trace.elapsed_seconds();
    if (mapper->uses_all_time) own.seconds = seconds_for_mapper(task);
    std::vector<Mapping> mappings = run_variants(*mapper, own, most);
    Mapping& mapping = mappings.front();
    if (mapper->map == map_linear && task.linear != nullptr) {
      // On large machines every evaluation counts.
      const double cost = objective_value(task.objective, *task.linear, task.abort_cost);
      found.push_back({std::move(mapping), mapper->name, *task.linear, cost});
    } else {
      found.push_back(assess(task, std::move(mapping), mapper->name));
    }
    found.back().seconds = task.trace.elapsed_seconds() - start;
    if (is_due && due.passed()) task.trace.hurry();
    found.back().given = mapper->uses_all_time ? own.seconds : 0;
    for (std::size_t i = 1; i < mappings.size() && !own.deadline.passed(); ++i) {
      found.push_back(assess(task, std::move(mappings[i]), mapper->name));
      found.back().variant = true;
    }
  }
}

bool tries_any(const MappingTask& task, Chosen chosen, Turn turn) {
  const Registry<Mapper> mappers = mapper_registry();
  return std::any_of(mappers.begin(), mappers.end(), [&](const Mapper* mapper) {
    return mapper->turn == turn && chosen(*mapper) && mapper->candidate(task);
  });
}

std::vector<Candidate> find_candidates(const MappingTask& task, Chosen chosen) {
  std::vector<Candidate> candidates;
  if (task.topology.grid() != nullptr) task.recognised->look_ahead();
  const Deadline due = due_of_candidates(task);
  run_turn(task, chosen, Turn::first, due, {}, candidates);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    candidates[i].order = static_cast<unsigned>(i);
  std::sort(candidates.begin(), candidates.end(), cheaper);
  if (is_perfect(task, candidates.front()) || is_good_enough(task, candidates.front())) {
    return candidates;
  }
  std::array<std::vector<Candidate>, kLanes> found;
  const unsigned spare_lane = tries_any(task, chosen, Turn::scotch_lane) ? 0 : 1;
  const bool foresees = spare_lane == 1 && tries_any(task, chosen, Turn::both_lanes);
  run_lanes([&](unsigned lane) {
    if (lane == 1) run_turn(task, chosen, Turn::scotch_lane, due, candidates, found[lane]);
    if (lane == spare_lane) run_turn(task, chosen, Turn::any_lane, due, candidates, found[lane]);
    if (lane == 1 && foresees) foresee_groups(task);
    if (lane == 0) run_turn(task, chosen, Turn::both_lanes, due, candidates, found[lane]);
  });
  for (auto& part : found) {
    for (Candidate& candidate : part) {
      candidate.order = static_cast<unsigned>(candidates.size());
      candidates.push_back(std::move(candidate));
    }
  }
  std::sort(candidates.begin(), candidates.end(), cheaper);
  return candidates;
}

std::vector<Candidate> told(const MappingTask& task, std::vector<Candidate> candidates) {
  for (const Candidate& c : candidates) task.trace.tried(c.origin, c.metrics, c.seconds);
  task.trace.found(candidates.front().origin, candidates.front().metrics);
  return candidates;
}

}  // namespace

Candidate assess(const MappingTask& task, Mapping mapping, std::string_view origin) {
  const Metrics metrics = evaluate_for(task.objective, task.graph, task.topology, task.outages,
                                       mapping, task.abort_cost);
  const double cost = objective_value(task.objective, metrics, task.abort_cost);
  return {std::move(mapping), origin, metrics, cost};
}

bool starts_can_be_told(const MappingTask& task) {
  constexpr Rank many = 1024;
  constexpr Rank very_many = 50'000;
  return task.graph.ranks() <= (group_is_candidate(task) ? very_many : many);
}

bool counts_risks(const MappingTask& task) {
  return task.objective->counts_risks && task.outages.suspects() > 0;
}

bool is_exposed(const MappingTask& task, const Candidate& candidate) {
  constexpr double worth_it = 1e-4;
  const double p = candidate.metrics.abort_probability;
  return counts_risks(task) && task.abort_cost * p > worth_it * (1 - p);
}

bool cheaper(const Candidate& a, const Candidate& b) {
  return std::tie(a.cost, a.order) < std::tie(b.cost, b.order);
}

bool is_shorter(const Candidate& a, const Candidate& b) {
  return a.metrics.hop_bytes < b.metrics.hop_bytes;
}

std::vector<Candidate> shortest_first(const MappingTask& task, std::vector<Candidate> candidates) {
  if (!task.objective->counts_loads || follows_link_costs(task)) return candidates;
  const bool all = is_exposed(task, candidates.front());
  const auto better = [&](const Candidate& a, const Candidate& b) {
    return (all || !is_exposed(task, a)) && is_shorter(a, b);
  };
  const auto best = std::min_element(candidates.begin(), candidates.end(), better);
  std::rotate(candidates.begin(), best, best + 1);
  return candidates;
}

bool is_perfect(const MappingTask& task, const Candidate& candidate) {
  const auto has_one_slot = [&task](const AllocationEntry& entry) {
    return entry.slots == 1 && task.topology.host(entry.node) == entry.node;
  };
  const bool safe = (!counts_risks(task) || candidate.metrics.abort_probability == 0) &&
                    !is_burdened(task, candidate.metrics);
  return safe && !follows_link_costs(task) && candidate.metrics.dilation <= 1 &&
         std::all_of(task.allocation.begin(), task.allocation.end(), has_one_slot);
}

std::vector<Candidate> likely_starts(std::vector<Candidate>&& candidates) {
  constexpr double too_expensive = 1.3;
  constexpr std::size_t most = 6;
  const double cost_of_first = candidates.front().cost;
  std::vector<Candidate> starts;
  starts.push_back(std::move(candidates.front()));
  const auto add = [&](bool variant, std::size_t as_many) {
    double last = cost_of_first;
    for (Candidate& c : candidates) {
      if (starts.size() == as_many) break;
      if (c.variant != variant || c.cost <= last || c.cost > too_expensive * cost_of_first)
        continue;
      last = c.cost;
      starts.push_back(std::move(c));
    }
  };
  add(false, 2);
  add(true, most);
  candidates = {};
  return starts;
}

std::vector<Candidate> other_starts(const MappingTask& task,
                                    const std::vector<Candidate>& candidates) {
  constexpr Rank very_many = 50'000;
  constexpr double too_expensive = 1.6;
  constexpr std::size_t most = 6;
  std::vector<Candidate> starts;
  if (!task.objective->counts_loads || task.graph.ranks() > very_many) return starts;
  for (const Candidate& c : candidates) {
    if (starts.size() == most || c.cost > too_expensive * candidates.front().cost) break;
    if (!c.variant && (starts.empty() || c.cost > starts.back().cost)) starts.push_back(c);
  }
  return starts;
}

double seconds_spent(const MappingTask& task, const std::vector<Candidate>& candidates) {
  double seconds = 0;
  for (const Candidate& candidate : candidates) seconds += candidate.given;
  const Mapper* group = find_entry(mapper_registry(), kGroup);
  const bool grouped = cost_of(kGroup, candidates) < HUGE_VAL;
  if (!grouped && group->candidate(task) && group_seconds(task) <= rates::kDear * task.seconds &&
      is_needless(*group, task, candidates, candidates)) {
    seconds -= group_placing_seconds(task);
  }
  return seconds;
}

std::vector<Candidate> run_candidates(const MappingTask& task) {
  return told(task, find_candidates(task, is_any));
}

std::vector<Candidate> run_baselines(const MappingTask& task) {
  return told(task, find_candidates(task, is_first_or_baseline));
}

}  // namespace tofa
