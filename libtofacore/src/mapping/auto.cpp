// SPDX-License-Identifier: BSD-3-Clause
// auto, the default: every mapper of the registry is a candidate, so the result is never worse than
// any of them; the best is then refined, and so is a fresh start that owes nothing to it. The
// amount of work follows from the size of the task and its time limit, not from the clock, so that
// the same input and seed give the same mapping.
#include <algorithm>

#include "mapping/annealing.hpp"
#include "mapping/descent.hpp"
#include "mapping/mapper.hpp"

namespace tofa {
namespace {

struct Candidate {
  Mapping mapping;
  std::string_view origin;
  double cost;
};

double true_cost(const MappingTask& task, const Mapping& mapping) {
  return objective_value(task.objective,
                         evaluate(task.graph, task.topology, task.outages, mapping));
}

// SCOTCH's answers differ widely from seed to seed, and a call is cheap: more of them give better
// starts. How many follows from the size of the task, so that they take a small part of the time
// limit.
void run_scotch_again(const MappingTask& task, std::vector<Candidate>& candidates) {
  constexpr double share = 0.05;
  constexpr double most = 31;
  const double seconds = 2e-5 * static_cast<double>(task.graph.ranks()) +
                         1e-6 * static_cast<double>(task.graph.pairs());
  const auto calls =
      static_cast<std::uint64_t>(std::min(most, share * task.time_limit_seconds / seconds));
  for (std::uint64_t i = 1; i <= calls && !task.deadline.passed(); ++i) {
    MappingTask reseeded = task;
    reseeded.seed = task.seed + i;
    Mapping mapping = map_scotch(reseeded);
    const double cost = true_cost(task, mapping);
    candidates.push_back({std::move(mapping), "scotch", cost});
  }
}

// Every candidate of the registry, cheapest first; the first of equals in registry order.
std::vector<Candidate> run_candidates(const MappingTask& task) {
  std::vector<Candidate> candidates;
  for (const Mapper& mapper : mapper_registry()) {
    if (!mapper.candidate(task) || (!candidates.empty() && task.deadline.passed())) continue;
    Mapping mapping = mapper.map(task);
    const double cost = true_cost(task, mapping);
    candidates.push_back({std::move(mapping), mapper.name, cost});
  }
  run_scotch_again(task, candidates);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  return candidates;
}

// How many moves a search may try. Rates are what one core of an ordinary machine does, taken low,
// so that the work is normally over well before the time limit.
struct Work {
  std::uint64_t annealing;
  std::uint64_t descent;
};

Work plan_work(const MappingTask& task) {
  constexpr double annealing_rate = 1.5e6;  // moves per second
  constexpr double descent_rate = 1.5e5;
  const double degree = std::max(
      1.0, static_cast<double>(task.graph.pairs()) / std::max<double>(task.graph.ranks(), 1) / 4);
  const auto moves = [&](double most, double rate, double share) {
    return static_cast<std::uint64_t>(
        std::max(1024.0, std::min(most, rate / degree * share * task.time_limit_seconds)));
  };
  const double ranks = task.graph.ranks();
  const bool loads_matter =
      task.objective == Objective::completion_time || task.objective == Objective::congestion;
  return {moves(40'000 + 3'000 * ranks, annealing_rate, 0.2),
          loads_matter ? moves(10'000 + 80 * ranks, descent_rate, 0.25) : 0};
}

class Search {
 public:
  explicit Search(const MappingTask& task)
      : task_(task),
        plan_(task.allocation, task.graph.ranks()),
        cost_(task, plan_),
        moves_(task, plan_, cost_),
        work_(plan_work(task)) {}

  // Anneals from `start` with the given first temperature; keeps the answer if it is better.
  void anneal_from(const Candidate& start, double temperature, Candidate& best) {
    if (task_.deadline.passed() || is_perfect(best.mapping)) return;
    Seating seating(plan_, start.mapping);
    RandomSource random = next_random();
    anneal(task_, plan_, cost_, moves_, {work_.annealing, temperature}, random, seating);
    keep_better(seating, start.origin, best);
  }

  // Improves the best on the true objective, where the annealer's stand-in differs from it.
  void descend_from(Candidate& best) {
    if (task_.deadline.passed() || work_.descent == 0) return;
    Seating seating(plan_, best.mapping);
    RandomSource random = next_random();
    descend(task_, plan_, moves_, work_.descent, random, seating);
    keep_better(seating, best.origin, best);
  }

 private:
  RandomSource next_random() { return RandomSource(task_.seed ^ (0x9e3779b97f4a7c15U * ++round_)); }

  void keep_better(const Seating& seating, std::string_view origin, Candidate& best) const {
    Mapping mapping = seating.mapping();
    const double cost = true_cost(task_, mapping);
    if (cost < best.cost) best = {std::move(mapping), origin, cost};
  }

  // Whether all pairs that talk are one hop apart, which is as close as ranks on different nodes
  // can be, so that there is nothing for the annealer to gain.
  bool is_perfect(const Mapping& mapping) const {
    for (std::uint32_t place = 0; place < plan_.places(); ++place) {
      if (plan_.seats_of(place) > 1) return false;
    }
    const Metrics metrics = evaluate(task_.graph, task_.topology, task_.outages, mapping);
    return metrics.dilation <= 1 && metrics.abort_probability == 0;
  }

  const MappingTask& task_;
  SeatPlan plan_;
  PairCost cost_;
  MoveSource moves_;
  Work work_;
  std::uint64_t round_ = 0;
};

}  // namespace

MapperAnswer map_auto(const MappingTask& task) {
  // First temperatures, in mean changes of a random move: one that keeps what the start has, one
  // that melts it.
  constexpr double warm = 0.02;
  constexpr double hot = 0.5;
  const std::vector<Candidate> candidates = run_candidates(task);
  Candidate best = candidates.front();
  Search search(task);
  search.anneal_from(candidates.front(), warm, best);
  search.anneal_from(candidates.front(), hot, best);
  if (candidates.size() > 1) search.anneal_from(candidates[1], warm, best);
  search.descend_from(best);
  return {std::move(best.mapping), best.origin};
}

}  // namespace tofa
