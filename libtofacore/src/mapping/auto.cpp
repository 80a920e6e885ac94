// SPDX-License-Identifier: BSD-3-Clause
// auto, the default: every mapper of the registry is a candidate, so the result is never worse than
// any of them; then two lanes of annealing start from the best and from scratch, and what they find
// is improved on the true objective. The amount of work follows from the size of the task and its
// time limit, not from the clock, so that the same input and seed give the same mapping.
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>

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
  Metrics metrics;
  double cost = 0;     // as judge() says
  double seconds = 0;  // it took, for a mapper of the registry

  // Whether a suspect node can abort the job.
  bool exposed() const { return metrics.abort_probability > 0; }
};

Candidate assess(const MappingTask& task, Mapping mapping, std::string_view origin) {
  const Metrics metrics = evaluate(task.graph, task.topology, task.outages, mapping);
  return {std::move(mapping), origin, metrics, judge(task.objective, metrics)};
}

bool cheaper(const Candidate& a, const Candidate& b) {
  return a.cost < b.cost;
}

// Whether all pairs that talk are one hop apart, which is as close as ranks on different nodes can
// be, so that there is nothing to gain.
bool is_perfect(const MappingTask& task, const Candidate& candidate) {
  const auto has_one_slot = [&task](const NodeSlots& entry) {
    return entry.slots == 1 && task.topology.host(entry.node) == entry.node;
  };
  return candidate.metrics.dilation <= 1 && !candidate.exposed() &&
         std::all_of(task.allocation.begin(), task.allocation.end(), has_one_slot);
}

// Whether a candidate from the first turn is so good that others, which take long on a task of this
// size, need not be tried.
bool is_good_enough(const MappingTask& task, const Candidate& candidate) {
  constexpr Rank large = 50'000;
  constexpr double near_perfect = 1.25;
  return task.graph.ranks() > large && !candidate.exposed() &&
         candidate.metrics.average_hops_per_byte <= near_perfect;
}

void run_turn(const MappingTask& task, Turn turn, std::vector<Candidate>& found) {
  for (const Mapper& mapper : mapper_registry()) {
    if (mapper.turn != turn || !mapper.candidate(task)) continue;
    if (task.deadline.passed() && (turn != Turn::first || !found.empty())) continue;
    const double start = task.trace.elapsed_seconds();
    found.push_back(assess(task, run_mapper(mapper, task), mapper.name));
    found.back().seconds = task.trace.elapsed_seconds() - start;
  }
}

// The candidates of the registry, cheapest first; of equals the one with the earlier turn.
std::vector<Candidate> find_candidates(const MappingTask& task) {
  std::vector<Candidate> candidates;
  run_turn(task, Turn::first, candidates);
  std::stable_sort(candidates.begin(), candidates.end(), cheaper);
  if (is_perfect(task, candidates.front()) || is_good_enough(task, candidates.front())) {
    return candidates;
  }
  std::array<std::vector<Candidate>, kLanes> found;
  run_lanes([&](unsigned lane) {
    run_turn(task, lane == 0 ? Turn::any_lane : Turn::scotch_lane, found[lane]);
  });
  for (auto& part : found) std::move(part.begin(), part.end(), std::back_inserter(candidates));
  std::stable_sort(candidates.begin(), candidates.end(), cheaper);
  return candidates;
}

std::vector<Candidate> run_candidates(const MappingTask& task) {
  std::vector<Candidate> candidates = find_candidates(task);
  for (const Candidate& c : candidates) task.trace.tried(c.origin, c.metrics, c.seconds);
  task.trace.found(candidates.front().origin, candidates.front().metrics);
  return candidates;
}

class Search {
 public:
  Search(const MappingTask& task, std::vector<Candidate> candidates)
      : task_(task), work_(plan_work(task)), best_(std::move(candidates.front())) {
    if (!done()) space_.emplace(task);
  }

  Search& run() {
    if (!space_) return *this;
    for (unsigned round = 0; round < work_.rounds && !done(); ++round) {
      work_.together ? anneal_together() : anneal_both_lanes(round);
    }
    descend_from_best();
    return *this;
  }

  double cost() const { return best_.cost; }
  // Whether a suspect node can abort the job.
  bool exposed() const { return best_.exposed(); }
  MapperAnswer answer() const { return {best_.mapping, best_.origin}; }

 private:
  RandomSource next_random() { return RandomSource(task_.seed ^ (0x9e3779b97f4a7c15U * ++draws_)); }

  // Independent searches that end at the same cost again and again have found what there is.
  bool done() const {
    constexpr unsigned enough = 6;
    return task_.deadline.passed() || agreements_ >= enough || is_perfect(task_, best_);
  }

  // Rounds take turns at starting anew and at warming up the best there is; which temperatures
  // serve best differs from graph to graph.
  void anneal_both_lanes(unsigned round) {
    struct Range {
      double start;
      double end;
    };
    constexpr Range ranges[][kLanes] = {{{3, 0.3}, {2, 0.15}}, {{1.5, 0.15}, {1, 0.3}}};
    const auto& range = ranges[round % std::size(ranges)];
    // As long as a suspect node can abort the job, what it takes to avoid it weighs more and more.
    if (best_.exposed()) risk_ *= 4;
    std::array<Candidate, kLanes> found;
    std::array<bool, kLanes> arrived{};
    const double share = annealing_seconds() / (work_.rounds - round);
    const std::array<RandomSource, kLanes> randoms = {next_random(), next_random()};
    run_lanes([&](unsigned lane) {
      Seating seating(space_->plan(), best_.mapping);
      arrived[lane] =
          anneal(*space_, {work_.annealing, range[lane].start, range[lane].end, risk_, share},
                 randoms[lane], seating);
      found[lane] = assess(task_, seating.mapping(), best_.origin);
    });
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (arrived[lane] && found[lane].cost == best_.cost) ++agreements_;
      keep_better(std::move(found[lane]), "annealing");
    }
  }

  // What is left of the time for annealing.
  double annealing_seconds() const { return task_.deadline.seconds_left() - work_.descent_seconds; }

  void anneal_together() {
    Seating seating(space_->plan(), best_.mapping);
    constexpr double coldest = 0.3;
    anneal_in_zones(*space_, {work_.annealing, work_.start, coldest, risk_, annealing_seconds()},
                    next_random(), seating);
    keep_better(assess(task_, seating.mapping(), best_.origin), "annealing");
  }

  // Improves the best on the true objective, where the annealer's stand-in differs from it.
  void descend_from_best() {
    if (task_.deadline.passed() || work_.descent == 0) return;
    Seating seating(space_->plan(), best_.mapping);
    descend(*space_, work_.descent, next_random(), seating);
    keep_better(assess(task_, seating.mapping(), best_.origin), "descent");
  }

  void keep_better(Candidate&& candidate, std::string_view source) {
    if (candidate.cost >= best_.cost) return;
    best_ = std::move(candidate);
    task_.trace.found(source, best_.metrics);
    agreements_ = 0;
  }

  const MappingTask& task_;
  WorkPlan work_;
  Candidate best_;
  std::optional<SearchSpace> space_;  // none when there is nothing to search
  std::uint64_t draws_ = 0;
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
      without_suspects(task.allocation, task.outages, smallest, task.graph.ranks(), task.needs);
  MappingTask without{task.graph, task.topology, task.outages,  rest,       task.objective,
                      task.seed,  task.seconds,  task.deadline, task.trace, task.needs};
  without.seconds *= 0.75;
  Search first(without, run_candidates(without));
  if (!first.run().exposed()) return first.answer();
  MappingTask with = task;
  with.seconds *= 0.2;
  Search second(with, run_candidates(with));
  second.run();
  return second.cost() < first.cost() ? second.answer() : first.answer();
}

}  // namespace tofa
