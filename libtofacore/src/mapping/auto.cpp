// SPDX-License-Identifier: BSD-3-Clause
// auto, the default: every mapper of the registry is a candidate, so the result is never worse than
// any of them; then two lanes of annealing start from the best and from scratch, and what they find
// is improved on the true objective. The amount of work follows from the size of the task and its
// time limit, not from the clock, so that the same input and seed give the same mapping.
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "mapping/annealing.hpp"
#include "mapping/descent.hpp"
#include "mapping/lanes.hpp"
#include "mapping/mapper.hpp"
#include "mapping/suspects.hpp"
#include "mapping/work_plan.hpp"

namespace tofa {
namespace {

struct Candidate {
  Mapping mapping;
  std::string_view origin;
  double cost;
};

double true_cost(const MappingTask& task, const Mapping& mapping) {
  return judge(task.objective, evaluate(task.graph, task.topology, task.outages, mapping));
}

// Every candidate of the registry, cheapest first; the first of equals in registry order.
std::vector<Candidate> run_candidates(const MappingTask& task) {
  std::array<std::vector<Candidate>, kLanes> found;
  run_lanes([&](unsigned lane) {
    for (const Mapper& mapper : mapper_registry()) {
      if (mapper.lane != lane || !mapper.candidate(task)) continue;
      if (task.deadline.passed() && (lane > 0 || !found[lane].empty())) continue;
      Mapping mapping = mapper.map(task);
      const double cost = true_cost(task, mapping);
      found[lane].push_back({std::move(mapping), mapper.name, cost});
    }
  });
  std::vector<Candidate> candidates;
  for (auto& part : found) std::move(part.begin(), part.end(), std::back_inserter(candidates));
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  return candidates;
}

class Search {
 public:
  Search(const MappingTask& task, std::vector<Candidate> candidates)
      : task_(task),
        space_(task),
        work_(plan_work(task)),
        candidates_(std::move(candidates)),
        best_(candidates_.front()) {}

  Search& run() {
    for (unsigned round = 0; round < work_.rounds && !done(); ++round) {
      work_.together ? anneal_together() : anneal_both_lanes();
    }
    descend_from_best();
    return *this;
  }

  double cost() const { return best_.cost; }
  // Whether a suspect node can abort the job.
  bool exposed() const { return exposed_; }
  MapperAnswer answer() const { return {best_.mapping, best_.origin}; }

 private:
  RandomSource next_random() { return RandomSource(task_.seed ^ (0x9e3779b97f4a7c15U * ++draws_)); }

  // Independent searches that end at the same cost again and again have found what there is.
  bool done() const {
    constexpr unsigned enough = 6;
    return task_.deadline.passed() || agreements_ >= enough || is_perfect(best_.mapping);
  }

  // The first lane starts anew, the second warms up the best there is.
  void anneal_both_lanes() {
    constexpr std::array<double, kLanes> start = {3, 1};
    // As long as a suspect node can abort the job, what it takes to avoid it weighs more and more.
    if (exposed_) risk_ *= 4;
    std::array<Candidate, kLanes> found;
    const std::array<RandomSource, kLanes> randoms = {next_random(), next_random()};
    run_lanes([&](unsigned lane) {
      Seating seating(space_.plan(), best_.mapping);
      anneal(space_, {work_.annealing, start[lane], kColdest, risk_}, randoms[lane], seating);
      found[lane] = {seating.mapping(), best_.origin, 0};
      found[lane].cost = true_cost(task_, found[lane].mapping);
    });
    for (Candidate& candidate : found) {
      if (candidate.cost == best_.cost) ++agreements_;
      keep_better(std::move(candidate));
    }
  }

  void anneal_together() {
    Seating seating(space_.plan(), best_.mapping);
    anneal_in_zones(space_, {work_.annealing, work_.start, kColdest, risk_}, next_random(),
                    seating);
    Mapping mapping = seating.mapping();
    const double cost = true_cost(task_, mapping);
    keep_better({std::move(mapping), best_.origin, cost});
  }

  // Improves the best on the true objective, where the annealer's stand-in differs from it.
  void descend_from_best() {
    if (task_.deadline.passed() || work_.descent == 0) return;
    Seating seating(space_.plan(), best_.mapping);
    descend(space_, work_.descent, next_random(), seating);
    Mapping mapping = seating.mapping();
    const double cost = true_cost(task_, mapping);
    keep_better({std::move(mapping), best_.origin, cost});
  }

  void keep_better(Candidate&& candidate) {
    if (candidate.cost >= best_.cost) return;
    best_ = std::move(candidate);
    agreements_ = 0;
    exposed_ = is_exposed(best_.mapping);
  }

  // Whether all pairs that talk are one hop apart, which is as close as ranks on different nodes
  // can be, so that there is nothing to gain.
  bool is_perfect(const Mapping& mapping) const {
    for (std::uint32_t place = 0; place < space_.plan().places(); ++place) {
      if (space_.plan().seats_of(place) > 1) return false;
    }
    const Metrics metrics = evaluate(task_.graph, task_.topology, task_.outages, mapping);
    return metrics.dilation <= 1 && metrics.abort_probability == 0;
  }

  bool is_exposed(const Mapping& mapping) const {
    return space_.cost().risky() &&
           evaluate(task_.graph, task_.topology, task_.outages, mapping).abort_probability > 0;
  }

  static constexpr double kColdest = 0.3;

  const MappingTask& task_;
  SearchSpace space_;
  WorkPlan work_;
  std::vector<Candidate> candidates_;
  Candidate best_;
  std::uint64_t draws_ = 0;
  bool exposed_ = is_exposed(best_.mapping);
  double risk_ = 1;
  unsigned agreements_ = 0;  // searches since the best was found that ended at its cost
};

}  // namespace

MapperAnswer map_auto(const MappingTask& task) {
  if (task.objective != Objective::completion_time || task.outages.suspects() == 0) {
    return Search(task, run_candidates(task)).run().answer();
  }
  // First as if suspect nodes were not there. Only if that leaves the job exposed, since there are
  // too few other nodes or no way around, are they weighed against the communication.
  constexpr double smallest = std::numeric_limits<double>::min();
  const Allocation rest =
      without_suspects(task.allocation, task.outages, smallest, task.graph.ranks());
  MappingTask without{task.graph, task.topology,           task.outages, rest, task.objective,
                      task.seed,  task.time_limit_seconds, task.deadline};
  without.time_limit_seconds *= 0.75;
  Search first(without, run_candidates(without));
  if (!first.run().exposed()) return first.answer();
  MappingTask with = task;
  with.time_limit_seconds *= 0.2;
  Search second(with, run_candidates(with));
  second.run();
  return second.cost() < first.cost() ? second.answer() : first.answer();
}

}  // namespace tofa
