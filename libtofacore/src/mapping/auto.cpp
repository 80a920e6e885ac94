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
#include "mapping/need_seats.hpp"
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

// From which temperature to which; from a random arrangement, or from the best there is.
struct Range {
  double start;
  double end;
  bool anew;
};
// Most graphs freeze between 2 and 0.3, those of few partners around 0.6, regular ones above 1.
constexpr std::array<Range, 4> kRanges = {
    {{2, 0.3, false}, {0.65, 0.5, true}, {1.6, 1, true}, {1, 0.4, false}}};

class Search {
 public:
  Search(const MappingTask& task, std::vector<Candidate> candidates)
      : task_(task),
        work_(plan_work(task)),
        smoothest_(find_smoothest(candidates)),
        best_(std::move(candidates.front())),
        ceiling_(best_.cost),
        avoids_suspects_(task.objective == Objective::completion_time &&
                         task.outages.suspects() > 0) {
    note_length(best_);
    range_cost_.fill(std::numeric_limits<double>::infinity());
    if (!done()) space_.emplace(task);
  }

  Search& run() {
    if (!space_) return *this;
    if (work_.together) {
      anneal_together();
    } else {
      if (best_.exposed()) warm_up({&best_.mapping, &smoothest_});
      for (unsigned round = 0; round < work_.rounds && !done(); ++round) run_round(round);
      if (!done()) warm_up(from_best());
    }
    descend_from_best();
    return *this;
  }

  double cost() const { return best_.cost; }
  // Whether a suspect node can abort the job.
  bool exposed() const { return best_.exposed(); }
  MapperAnswer answer() const { return {best_.mapping, best_.origin}; }

 private:
  using Starts = std::array<const Mapping*, kLanes>;

  Starts from_best() const { return {&best_.mapping, &best_.mapping}; }

  // What would cost the least if no node failed. Suspect nodes make regular mappings look bad of
  // which they spoil only a part.
  static Mapping find_smoothest(const std::vector<Candidate>& candidates) {
    const auto smoother = [](const Candidate& a, const Candidate& b) {
      return a.metrics.hop_bytes < b.metrics.hop_bytes;
    };
    return std::min_element(candidates.begin(), candidates.end(), smoother)->mapping;
  }

  RandomSource next_random() { return RandomSource(task_.seed ^ (0x9e3779b97f4a7c15U * ++draws_)); }

  // Independent searches that end at the same cost again and again have found what there is.
  bool done() const {
    constexpr unsigned enough = 6;
    return task_.deadline.passed() || agreements_ >= enough || is_perfect(task_, best_);
  }

  // Which range a lane takes: with time for one round the widest; otherwise each in turn, and later
  // on one lane stays with what has led furthest.
  std::size_t choose_range(unsigned round, unsigned lane) const {
    constexpr std::size_t last_to_erase = 2;
    if (work_.rounds == 1) return 0;
    if (round < kRanges.size() / kLanes || lane > 0) {
      return (std::size_t{round} * kLanes + lane) % kRanges.size();
    }
    // Ranges that only warm up the best there is would always seem to lead as far.
    const auto end = range_cost_.begin() + last_to_erase + 1;
    return static_cast<std::size_t>(std::min_element(range_cost_.begin(), end) -
                                    range_cost_.begin());
  }

  void run_round(unsigned round) {
    const std::array<std::size_t, kLanes> chosen = {choose_range(round, 0), choose_range(round, 1)};
    const double share = annealing_seconds() * (1 - WorkPlan::kWarming) / (work_.rounds - round);
    const auto found = anneal_both_lanes({kRanges[chosen[0]], kRanges[chosen[1]]}, work_.annealing,
                                         share, round, from_best());
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      range_cost_[chosen[lane]] = std::min(range_cost_[chosen[lane]], found[lane]);
    }
  }

  // Mends what there is without giving it up: regular mappings, above all, of which a suspect node
  // or a missing one spoils a part.
  void warm_up(const Starts& starts) {
    anneal_both_lanes({{{0.7, 0.2, false}, {0.4, 0.15, false}}}, work_.warming,
                      annealing_seconds() * WorkPlan::kWarming, 0, starts);
  }

  // Answers with what each lane came to cost.
  std::array<double, kLanes> anneal_both_lanes(const std::array<Range, kLanes>& ranges,
                                               std::uint64_t moves, double seconds, unsigned round,
                                               const Starts& starts) {
    // As long as a suspect node can abort the job, what it takes to avoid it weighs more and more.
    if (best_.exposed()) risk_ *= 4;
    std::array<Candidate, kLanes> found;
    std::array<bool, kLanes> arrived{};
    const std::array<RandomSource, kLanes> randoms = {next_random(), next_random()};
    run_lanes([&](unsigned lane) {
      const auto& [start, end, anew] = ranges[lane];
      Seating seating(space_->plan(), anew ? scatter(round) : *starts[lane]);
      arrived[lane] = anneal(*space_, {moves, start, end, risk_, seconds}, randoms[lane], seating);
      found[lane] = assess(task_, seating.mapping(), anew ? "random" : best_.origin);
    });
    const std::array<double, kLanes> costs = {found[0].cost, found[1].cost};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (arrived[lane] && found[lane].cost == best_.cost) ++agreements_;
      keep_better(std::move(found[lane]), "annealing");
    }
    return costs;
  }

  Mapping scatter(unsigned round) const {
    MappingTask task = task_;
    task.seed += round;
    Mapping mapping = map_random(task);
    if (task.needs != nullptr) repair_needs(mapping, task.topology, task.allocation, *task.needs);
    return mapping;
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
    // Uphill steps up to such shares of the cost get off the plateaus that a maximum over links is
    // full of.
    constexpr std::array<double, kLanes> first_step = {2e-3, 1e-2};
    std::array<Candidate, kLanes> found;
    const std::array<RandomSource, kLanes> randoms = {next_random(), next_random()};
    run_lanes([&](unsigned lane) {
      Seating seating(space_->plan(), best_.mapping);
      descend(*space_, {work_.descent, first_step[lane], most_hop_bytes()}, randoms[lane], seating);
      found[lane] = assess(task_, seating.mapping(), best_.origin);
    });
    for (Candidate& candidate : found) keep_better(std::move(candidate), "descent");
  }

  // Ways around suspect nodes share few links, and to unburden those it pays a job to spread over
  // the whole machine, at the expense of all others. So a mapping that avoids them may need a
  // little more than the shortest such mapping known, and no more.
  double most_hop_bytes() const {
    constexpr double detour = 1.005;
    return detour * least_hop_bytes_;
  }

  void note_length(const Candidate& candidate) {
    if (!avoids_suspects_ || candidate.exposed()) return;
    least_hop_bytes_ = std::min(least_hop_bytes_, candidate.metrics.hop_bytes);
  }

  bool too_long(const Candidate& candidate) const {
    return !candidate.exposed() && candidate.metrics.hop_bytes > most_hop_bytes();
  }

  bool better_than_best(const Candidate& candidate) const {
    if (too_long(candidate) != too_long(best_) && candidate.cost <= ceiling_)
      return too_long(best_);
    return candidate.cost < best_.cost;
  }

  void keep_better(Candidate&& candidate, std::string_view source) {
    note_length(candidate);
    if (!better_than_best(candidate)) return;
    best_ = std::move(candidate);
    task_.trace.chose(source, best_.metrics);
    agreements_ = 0;
  }

  const MappingTask& task_;
  WorkPlan work_;
  Mapping smoothest_;
  Candidate best_;
  double ceiling_;                                 // what the cheapest mapper's answer costs
  std::optional<SearchSpace> space_;               // none when there is nothing to search
  std::array<double, kRanges.size()> range_cost_;  // the least that each led to
  bool avoids_suspects_;
  double least_hop_bytes_ = std::numeric_limits<double>::infinity();
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
  without.seconds *= 0.78;
  Search first(without, run_candidates(without));
  if (!first.run().exposed()) return first.answer();
  MappingTask with = task;
  with.seconds *= 0.2;
  Search second(with, run_candidates(with));
  second.run();
  return second.cost() < first.cost() ? second.answer() : first.answer();
}

}  // namespace tofa
