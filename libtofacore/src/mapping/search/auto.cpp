// SPDX-License-Identifier: BSD-3-Clause
// auto, the default: what the mappers of the registry find are candidates (candidates.hpp), so the
// result is never worse than any of them; then two lanes of annealing start from the best, or where
// loads count from the one of the fewest hops, and from scratch, and what they find is improved on
// loads, where these count, and on the true objective.
// The amount of work follows from the task and the effort, not from the clock, so that the same
// input and seed give the same mapping.
//
// Nodes that are worth avoiding count in every step, and the candidates are also tried on the nodes
// that are left without them; in a hurry, most of them there only. Where nodes may fail but none is
// worth avoiding, since all are alike, the search goes on as if none could fail, and the risk
// counts in the last step and the choice: so that knowing of the risk never makes communication and
// risk worse at once.
#include <algorithm>
#include <iterator>

#include "mapping/allocation.hpp"
#include "mapping/mapper.hpp"
#include "mapping/objective.hpp"
#include "mapping/search/candidates.hpp"
#include "mapping/search/search_on.hpp"
#include "mapping/search/suspects.hpp"
#include "mapping/search/work_plan.hpp"

namespace tofa {
namespace {

void add_candidates(const MappingTask& task, std::vector<Candidate>& candidates) {
  std::vector<Candidate> more = run_candidates(task);
  std::move(more.begin(), more.end(), std::back_inserter(candidates));
  std::stable_sort(candidates.begin(), candidates.end(), cheaper);
}

// Whether a search that is so short that it has no time for all candidates twice had better seek
// them on the rest of the nodes: where few are left out, and those at worst cost a lot.
bool are_better_on(const Allocation& rest, const MappingTask& task,
                   const std::vector<double>& costs) {
  constexpr std::size_t few = 8;           // one of so many
  constexpr std::uint64_t hurried = 1000;  // moves of a rank
  constexpr double a_lot = 0.1;            // of the completion time, for a node
  const std::size_t left_out = task.allocation.size() - rest.size();
  return left_out > 0 && few * left_out <= task.allocation.size() &&
         *std::max_element(costs.begin(), costs.end()) >= a_lot &&
         plan_work(task).annealing < hurried * task.graph.ranks();
}

// The answer to the same task if no node could fail.
Candidate search_blindly(const MappingTask& task, const std::vector<Candidate>& known) {
  const OutageMap none;
  Trace aside = task.trace.aside();
  const MappingTask blind = task.with_outages(none, aside);
  std::vector<Candidate> candidates;
  // Of the mappers, this one alone looks at outages.
  const Mapper& looking = *find_entry(mapper_registry(), "tofa");
  for (const Candidate& candidate : known) {
    Mapping mapping =
        candidate.origin == looking.name ? run_mapper(looking, blind) : candidate.mapping;
    candidates.push_back(assess(blind, std::move(mapping), candidate.origin));
    candidates.back().given = candidate.given;  // the same work is left
    candidates.back().order = candidate.order;
    candidates.back().variant = candidate.variant;
  }
  std::sort(candidates.begin(), candidates.end(), cheaper);
  aside.begin(candidates.front().metrics, true);
  const MapperAnswer answer = search_on(blind, std::move(candidates));
  return assess(task, answer.mapping, answer.origin);
}

}  // namespace

MapperAnswer map_auto(const MappingTask& task) {
  if (!counts_risks(task)) return search_on(task, run_candidates(task));
  const std::vector<double> costs = costs_of_suspects(task);
  if (costs.empty()) {
    std::vector<Candidate> candidates = run_candidates(task);
    candidates.push_back(search_blindly(task, candidates));
    task.trace.found("annealing", candidates.back().metrics);
    std::stable_sort(candidates.begin(), candidates.end(), cheaper);
    return descend_on(task, std::move(candidates));
  }
  const auto is_spared = [&costs](Node node) { return costs[node] > 0; };
  const Allocation rest =
      without(is_spared, task.allocation, task.outages, task.graph.ranks(), task.needs);
  std::vector<Candidate> candidates =
      are_better_on(rest, task, costs) ? run_baselines(task) : run_candidates(task);
  if (total_slots(rest) < total_slots(task.allocation)) add_candidates(task.on(rest), candidates);
  return search_on(task, std::move(candidates));
}

MapperAnswer search_from(const MappingTask& task, Mapping mapping, std::string_view origin) {
  if (counts_risks(task)) return map_auto(task);
  std::vector<Candidate> start;
  start.push_back(assess(task, std::move(mapping), origin));
  return search_on(task, std::move(start));
}

}  // namespace tofa
