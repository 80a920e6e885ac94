// SPDX-License-Identifier: BSD-3-Clause
// What a search does one after the other: see search_on.hpp. The amount of work follows from the
// task and the effort, not from the clock.
#include "mapping/search/search_on.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/lanes.hpp"
#include "mapping/objective.hpp"
#include "mapping/search/annealing.hpp"
#include "mapping/search/descent.hpp"
#include "mapping/search/first_heat.hpp"
#include "mapping/search/load_annealing.hpp"
#include "mapping/search/suspects.hpp"
#include "mapping/search/work_plan.hpp"
#include "mapping/seats/need_seats.hpp"

namespace tofa {
namespace {

// From which temperature to which, as shares of what cooling saves; from a random arrangement, or
// from the best there is.
struct Range {
  double start;
  double end;
  bool anew;
};
// A long anneal that takes in most of the freezing, and others for what freezes early or late.
constexpr std::array<Range, 4> kRanges = {
    {{0.65, 0.98, false}, {0.5, 0.98, true}, {0.5, 0.9, true}, {0.85, 0.99, false}}};
// This tells how good an arrangement is as a start.
constexpr Range kProbe{0.85, 0.98, false};
// These mend an arrangement without giving it up.
constexpr std::array<Range, kLanes> kWarm = {{{0.95, 0.995, false}, {0.98, 0.998, false}}};
// Warm enough to lead traffic elsewhere, not so much that what lies beside what is lost; as the
// share of what cooling saves.
constexpr double kMostlyFrozen = 0.8;
// From where the lanes cool when they anneal on loads, as shares of what gets links busier: how
// much of that an arrangement bears is not known, and the better answer of both is kept.
constexpr std::array<double, kLanes> kFirstOnLoads = {1.2, 0.6};
// How warm a descent is after an anneal on loads that found something, as a share of what it is
// else.
constexpr double kCold = 0.1;
// While it is hot, a rank looks at all seats, and its tables have to be made before.
constexpr double kDearerIfHot = 3;

class Search {
 public:
  Search(const MappingTask& task, std::vector<Candidate> candidates)
      : task_(task),
        work_(plan_work(task, seconds_spent(task, candidates))),
        smoothest_(find_smoothest(task, candidates)),
        others_(other_starts(task, candidates)),
        best_(candidates.front()),
        starts_(likely_starts(shortest_first(task, std::move(candidates)))) {
    range_cost_.fill(std::numeric_limits<double>::infinity());
    if (done() || !is_worth_searching(task, work_)) return;
    const bool has_time =
        seconds_to_tabulate(task) < task.deadline.seconds_left() && has_time_to_search(task, work_);
    if (has_time) {
      space_.emplace(task);
    } else {
      task.trace.hurry();
    }
  }

  Search& run() {
    if (!space_) return *this;
    measure();
    if (smoothest_ && is_exposed(task_, best_)) {
      const Starts starts = {&best_, &*smoothest_};
      work_.together ? leave_suspects(starts) : warm_up(starts);
      starts_ = {best_};
    } else {
      choose_start();
      leave_frozen_start();
    }
    if (work_.together) {
      anneal_together();
    } else {
      anneal_in_rounds();
      if (!done()) warm_up(from_best());
    }
    leave_suspects(from_best());
    return descend();
  }

  // The last steps: improve the best on loads and on the true objective, where what distances say
  // differs from it.
  Search& descend() {
    if (!space_ || task_.deadline.passed() || work_.descent == 0) return *this;
    if (!freezing_ || work_.load_tries == 0) {
      descend_from_best(1, 1);
      return *this;
    }
    const double before = best_.cost;
    anneal_on_loads();
    if (task_.deadline.passed()) return *this;
    descend_from_best(WorkPlan::kAfterLoads, best_.cost < before ? kCold : 1);
    return *this;
  }

  MapperAnswer answer() const { return {best_.mapping, best_.origin, best_.metrics}; }

 private:
  using Starts = std::array<const Candidate*, kLanes>;

  // What a start leads to: its cost after a brief anneal, which may well be higher; and the cheaper
  // one of both.
  struct Probed {
    Candidate start;
    double cost;
  };

  Starts from_best() const { return {&best_, &best_}; }

  // What would cost the least if no node failed. Suspect nodes make regular mappings look bad of
  // which they spoil only a part.
  static std::optional<Candidate> find_smoothest(const MappingTask& task,
                                                 const std::vector<Candidate>& candidates) {
    if (!counts_risks(task)) return std::nullopt;
    return *std::min_element(candidates.begin(), candidates.end(), is_shorter);
  }

  RandomSource next_random() { return RandomSource(task_.seed ^ (0x9e3779b97f4a7c15U * ++draws_)); }

  // Independent searches that end at the same cost again and again have found what there is.
  bool done() const {
    constexpr unsigned enough = 6;
    return task_.deadline.passed() || agreements_ >= enough || is_perfect(task_, best_);
  }

  // Which range a lane takes. With time for one round one lane takes the widest, and the other does
  // not give up the start; otherwise each in turn, and later on one lane stays with what has led
  // furthest.
  std::size_t choose_range(unsigned round, unsigned lane) const {
    constexpr std::size_t last_to_erase = 2;
    if (work_.first_round == work_.annealing) return lane == 0 ? 0 : kRanges.size() - 1;
    if (round < kRanges.size() / kLanes || lane > 0) {
      return (std::size_t{round} * kLanes + lane) % kRanges.size();
    }
    // Ranges that only warm up the best there is would always seem to lead as far.
    const auto end = range_cost_.begin() + last_to_erase + 1;
    return static_cast<std::size_t>(std::min_element(range_cost_.begin(), end) -
                                    range_cost_.begin());
  }

  // How the task freezes. Where that ends is no worse a start than any other.
  void measure() {
    const std::string_view origin = starts_.front().origin;
    Seating seating(space_->plan(), starts_.front().mapping);
    freezing_.emplace(measure_freezing(*space_, work_.measuring, next_random(), seating,
                                       due_of(work_.measuring, kDearerIfHot)));
    if (work_.measuring > 0) keep_better(assess(task_, seating.mapping(), origin), "annealing");
  }

  // A brief anneal from each tells the better start, which need not be the cheaper one: disorder is
  // mended, what lies beside what in the whole is not. Where loads of links count, which an anneal
  // does not see, that is so only of variants that it leads much further.
  void choose_start() {
    const bool loads_count = task_.objective->counts_loads;
    if (starts_.size() < 2 || work_.first_round < work_.annealing || !starts_can_be_told(task_) ||
        (loads_count && !starts_.back().variant)) {
      return;
    }
    const double candidate = starts_.front().cost;
    const std::uint64_t moves = moves_of_probe();
    const std::size_t variants = starts_[1].variant ? 1 : 2;  // from there on
    // It tells nothing but whether a variant is better.
    const bool beside = loads_count || variants == 1;
    (beside ? planned_ : moved_) += moves;
    std::array<Probed, kLanes> found = probe(0, variants, moves);
    std::optional<Candidate> variant = find_better_variant(found[0].start, variants, moves);
    if (!beside) {
      if (is_hard(candidate, found[0].start.cost, found[1].start.cost)) {
        work_.annealing += work_.spare;
        work_.first_round = work_.annealing;
        planned_ += work_.spare;
      }
      starts_ = {std::move(found[0].start)};
    }
    if (variant) starts_ = {*std::move(variant)};
  }

  // A regular arrangement may be one that moves do not leave: so hot that another melts, not one
  // move in ten is made. Its links may be busier than those of others, which loads tell and hops do
  // not. So the search goes on from the cheapest that moves better, beside the planned work, and
  // what is frozen stays the best until something else costs less.
  void leave_frozen_start() {
    if (others_.empty() || freezing_->share_saved(0) < 1 ||
        freezing_->stirring() < freezing_->temperature(kRanges[0].start)) {
      return;
    }
    const std::uint64_t moves = moves_of_probe();
    for (std::size_t i = 0; i < others_.size() && !task_.deadline.passed(); i += kLanes) {
      planned_ += moves;
      const std::size_t j = std::min(i + 1, others_.size() - 1);
      const std::array<Candidate, kLanes> found =
          anneal_both_lanes({kProbe, kProbe}, moves, 0, {&others_[i], &others_[j]});
      agreements_ = 0;
      const bool moves_first = found[0].cost != others_[i].cost;
      const bool moves_second = found[1].cost != others_[j].cost;
      if (i == 0 && moves_first && others_[0].order == starts_.front().order) return;
      if (!moves_first && !moves_second) continue;
      starts_ = {!moves_second || (moves_first && found[0].cost < found[1].cost) ? found[0]
                                                                                 : found[1]};
      return;
    }
  }

  // They are tried beside the planned work, and have to be clearly better to be worth a change.
  std::optional<Candidate> find_better_variant(const Candidate& than, std::size_t first,
                                               std::uint64_t moves) {
    const bool loads = task_.objective->counts_loads;
    const double clearly = loads ? 0.95 : 0.99;
    const auto seen = [=](const Candidate& c) { return loads ? c.metrics.hop_bytes : c.cost; };
    std::optional<Candidate> better;
    for (; first < starts_.size() && !task_.deadline.passed(); first += kLanes) {
      planned_ += moves;
      for (auto& [variant, cost] : probe(first, first + kLanes, moves)) {
        if (variant.cost < (better ? *better : than).cost && seen(variant) < clearly * seen(than))
          better = std::move(variant);
      }
      agreements_ = 0;  // from the same start these say nothing
    }
    return better;
  }

  std::uint64_t moves_of_probe() const {
    constexpr double share = 0.03;
    return static_cast<std::uint64_t>(share * static_cast<double>(work_.annealing));
  }

  // Of these starts, one or two, the one that leads to less first.
  std::array<Probed, kLanes> probe(std::size_t first, std::size_t end, std::uint64_t moves) {
    const std::size_t last = std::min(end, starts_.size()) - 1;
    const Starts starts = {&starts_[first], &starts_[last]};
    std::array<Candidate, kLanes> found =
        anneal_both_lanes({kProbe, kProbe}, moves, 0, starts, true);
    // What mends a start is its cost then; where both cost more, that tells, unless in few moves.
    constexpr Rank few = 100;  // of a rank
    const auto rose = [&](unsigned lane) { return found[lane].cost > starts[lane]->cost; };
    const bool told = moves >= std::uint64_t{few} * task_.graph.ranks() && rose(0) && rose(1);
    std::array<Probed, kLanes> probed;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const double before = starts[lane]->cost;
      const double cost = told ? found[lane].cost : std::min(before, found[lane].cost);
      probed[lane] = {found[lane].cost < before ? found[lane] : *starts[lane], cost};
    }
    if (probed[1].cost < probed[0].cost) std::swap(probed[0], probed[1]);
    return probed;
  }

  // Where both starts come to about the same, or all candidates were far above that, nobody knows
  // what should lie beside what, and a longer search pays.
  static bool is_hard(double candidate, double found, double other) {
    constexpr double alike = 1.08;
    constexpr double below = 0.95;
    constexpr double far_below = 0.84;
    return found <= far_below * candidate || (found <= below * candidate && other <= alike * found);
  }

  // As long as that leads anywhere: a search that has found nothing better for as many rounds as it
  // took to find what it has, or for a few at least, is over.
  void anneal_in_rounds() {
    constexpr unsigned patience = 3;
    auto length = static_cast<double>(work_.first_round);
    for (unsigned round = 0; moved_ < work_.annealing && !done(); ++round) {
      if (round >= 2 * last_success_ + patience) break;
      const auto left = static_cast<double>(work_.annealing - moved_);
      // What would be left for a last and short round is better spent now.
      const double moves = left < 1.5 * length ? left : length;
      const double before = best_.cost;
      run_round(round, static_cast<std::uint64_t>(moves));
      moved_ += static_cast<std::uint64_t>(moves);
      if (best_.cost < before) last_success_ = round + 1;
      length *= work_.growth;
    }
  }

  // How much of the work was worth doing, which steps that come later go by.
  double share_of_work() const {
    constexpr double least = 0.15;
    if (moved_ == 0) return 1;
    return std::max(least, static_cast<double>(moved_) / static_cast<double>(work_.annealing));
  }

  void run_round(unsigned round, std::uint64_t moves) {
    const std::array<std::size_t, kLanes> chosen = {choose_range(round, 0), choose_range(round, 1)};
    const Starts starts = round == 0 ? Starts{&starts_.front(), &starts_.front()} : from_best();
    const auto found =
        anneal_both_lanes({kRanges[chosen[0]], kRanges[chosen[1]]}, moves, round, starts);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      range_cost_[chosen[lane]] = std::min(range_cost_[chosen[lane]], found[lane].cost);
    }
  }

  // Mends what there is without giving it up: regular mappings, above all, of which a suspect node
  // or a missing one spoils a part.
  void warm_up(const Starts& starts) {
    anneal_both_lanes(
        kWarm, static_cast<std::uint64_t>(share_of_work() * static_cast<double>(work_.warming)), 0,
        starts);
  }

  // Uses weigh so much at once that ranks give them up whatever it costs, and what follows mends
  // that: in a short search there is no time for them to weigh more and more. The other lane is
  // warmer, for ranks that hold each other there.
  void leave_suspects(const Starts& starts) {
    constexpr double share = 0.2;
    constexpr std::uint64_t fewest = 40;  // moves of a rank, if it comes to that
    const std::array<double, kLanes> risks = {std::max(64.0, risk_), 2};
    constexpr std::array<Range, kLanes> ranges = {{{0.9, 0.98, false}, {0.65, 0.98, false}}};
    if (!space_->cost().risky() || !is_exposed(task_, best_) || task_.deadline.passed()) return;
    const auto moves =
        std::max(fewest * task_.graph.ranks(),
                 static_cast<std::uint64_t>(share * static_cast<double>(work_.annealing)));
    std::array<Candidate, kLanes> found;
    const std::array<RandomSource, kLanes> randoms = {next_random(), next_random()};
    run_lanes([&](unsigned lane) {
      AnnealingSchedule leaving = schedule(moves, ranges[lane], std::nullopt);
      leaving.risk = risks[lane];
      Seating seating(space_->plan(), starts[lane]->mapping);
      anneal_exposed(*space_, leaving, randoms[lane], seating);
      found[lane] = assess(task_, seating.mapping(), starts[lane]->origin);
    });
    for (const Candidate& candidate : found) keep_better(candidate, "annealing");
  }

  // Answers with what each lane came to.
  std::array<Candidate, kLanes> anneal_both_lanes(const std::array<Range, kLanes>& ranges,
                                                  std::uint64_t moves, unsigned round,
                                                  const Starts& starts, bool is_probe = false) {
    // As long as nodes worth avoiding are in use, each use of them weighs more and more.
    constexpr double heaviest = 256;
    if (is_exposed(task_, best_)) risk_ = std::min(4 * risk_, heaviest);
    std::array<Candidate, kLanes> found;
    std::array<bool, kLanes> arrived{};
    const std::optional<Deadline> due = due_of(moves);
    std::array<AnnealingSchedule, kLanes> schedules = {schedule(moves, ranges[0], due),
                                                       schedule(moves, ranges[1], due)};
    for (AnnealingSchedule& schedule : schedules) schedule.is_probe = is_probe;
    const std::array<RandomSource, kLanes> randoms = {next_random(), next_random()};
    run_lanes([&](unsigned lane) {
      const bool anew = ranges[lane].anew;
      Seating seating(space_->plan(), anew ? scatter(round) : starts[lane]->mapping);
      arrived[lane] = anneal(*space_, schedules[lane], randoms[lane], seating);
      found[lane] = assess(task_, seating.mapping(), anew ? "random" : starts[lane]->origin);
    });
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (arrived[lane] && found[lane].cost == best_.cost) ++agreements_;
      keep_better(found[lane], "annealing");
    }
    return found;
  }

  AnnealingSchedule schedule(std::uint64_t moves, const Range& range,
                             const std::optional<Deadline>& due) const {
    return {moves, freezing_->temperature(range.start), freezing_->temperature(range.end), risk_,
            due};
  }

  // When so many moves should be made, if the rest of what is planned is to fit into the time, and
  // they take so many times as long as others.
  std::optional<Deadline> due_of(std::uint64_t moves, double dearer = 1) {
    const double rest = static_cast<double>(std::max(planned_ - std::min(made_, planned_), moves));
    made_ += moves;
    return task_.deadline.share(
        std::min(1.0, dearer * static_cast<double>(moves) / std::max(rest, 1.0)));
  }

  Mapping scatter(unsigned round) const {
    MappingTask task = task_;
    task.seed += round;
    Mapping mapping = map_random(task);
    if (task.needs != nullptr) repair_needs(mapping, task.topology, task.allocation, *task.needs);
    return mapping;
  }

  void anneal_together() {
    Seating seating(space_->plan(), starts_.front().mapping);
    const std::string_view origin = starts_.front().origin;
    starts_.clear();  // of a million ranks each takes memory
    const std::uint64_t moves = work_.annealing - moved_;
    const Heat heat = heat_to_go_on(*space_, seating, *freezing_, work_.annealing,
                                    {kRanges[0].start, kRanges[0].end}, next_random());
    made_ += heat.moves;
    const std::uint64_t left = moves - std::min(moves, heat.moves);
    const AnnealingSchedule long_one{left, heat.start, heat.end, risk_, due_of(left)};
    anneal_in_zones(*space_, long_one, next_random(), seating);
    keep_better(assess(task_, seating.mapping(), origin), "annealing");
  }

  // Whether ways are shorter than in any arrangement so far. The one that is best for what links
  // carry may be so regular that no move leads away from it.
  bool is_shortest(const Candidate& candidate) const {
    return work_.load_tries > 0 && is_shorter(candidate, shortest_ ? *shortest_ : best_) &&
           is_no_more_exposed(candidate);
  }
  bool is_no_more_exposed(const Candidate& candidate) const {
    return is_exposed(task_, best_) || !is_exposed(task_, candidate);
  }

  // On a smooth stand-in for the objective, by each lane for itself. Of few ranks several times,
  // each from the best so far: one that got stuck is soon made up for. The first time one lane
  // begins where ways are the shortest.
  void anneal_on_loads() {
    constexpr std::uint64_t long_one = 1000;  // tries of a rank
    constexpr std::uint64_t most_rounds = 4;
    const double share = share_of_work();
    const auto tries = static_cast<std::uint64_t>(share * static_cast<double>(work_.load_tries));
    const std::uint64_t rounds =
        std::clamp<std::uint64_t>(tries / (long_one * task_.graph.ranks()), 1, most_rounds);
    const double moves = (1 - WorkPlan::kAfterLoads) * share *
                         static_cast<double>(work_.moves_of_descent) / static_cast<double>(rounds);
    const Candidate shortest = shortest_ && is_no_more_exposed(*shortest_) ? *shortest_ : best_;
    for (std::uint64_t round = 0; round < rounds && !task_.deadline.passed(); ++round) {
      run_loads({tries / rounds, freezing_->temperature(kMostlyFrozen), 1, risk_,
                 due_of(static_cast<std::uint64_t>(moves))},
                round == 0 ? Starts{&shortest, &best_} : from_best());
    }
  }

  void run_loads(const LoadSchedule& schedule, const Starts& starts) {
    std::array<Candidate, kLanes> found;
    const std::array<RandomSource, kLanes> randoms = {next_random(), next_random()};
    run_lanes([&](unsigned lane) {
      Seating seating(space_->plan(), starts[lane]->mapping);
      LoadSchedule own = schedule;
      own.first = kFirstOnLoads[lane];
      anneal_loads(*space_, own, randoms[lane], seating);
      found[lane] = assess(task_, seating.mapping(), starts[lane]->origin);
    });
    for (const Candidate& candidate : found) keep_better(candidate, "annealing");
  }

  void descend_from_best(double share, double warmth) {
    // Uphill steps up to such shares of the cost get off the plateaus that a maximum over links is
    // full of.
    const double ranks = task_.graph.ranks();
    const auto tries =
        static_cast<std::uint64_t>(share * share_of_work() * static_cast<double>(work_.descent));
    const std::array<double, kLanes> first_step = {0.1 * warmth / ranks, 0.5 * warmth / ranks};
    std::array<Candidate, kLanes> found;
    const std::array<RandomSource, kLanes> randoms = {next_random(), next_random()};
    run_lanes([&](unsigned lane) {
      Seating seating(space_->plan(), best_.mapping);
      tofa::descend(*space_, {tries, first_step[lane]}, randoms[lane], seating);
      found[lane] = assess(task_, seating.mapping(), best_.origin);
    });
    for (const Candidate& candidate : found) keep_better(candidate, "descent");
  }

  void keep_better(const Candidate& candidate, std::string_view source) {
    if (is_shortest(candidate)) shortest_ = candidate;
    if (candidate.cost >= best_.cost) return;
    best_ = candidate;
    task_.trace.chose(source, best_.metrics);
    agreements_ = 0;
  }

  const MappingTask& task_;
  WorkPlan work_;
  std::optional<Candidate> smoothest_;  // where a node is suspect
  std::vector<Candidate> others_;       // where loads count; the first is the cheapest of all
  Candidate best_;
  std::optional<Candidate> shortest_;  // where loads count; none if it is the best
  std::vector<Candidate> starts_;
  std::optional<SearchSpace> space_;  // none when there is nothing to search
  std::optional<Freezing> freezing_;
  std::array<double, kRanges.size()> range_cost_;  // the least that each led to
  std::uint64_t draws_ = 0;
  double risk_ = 1;
  std::uint64_t moved_ = 0;  // in rounds, by each lane
  // By each lane, as if what comes after them were moves, too.
  std::uint64_t planned_ =
      work_.measuring + work_.annealing + work_.warming + work_.moves_of_descent;
  std::uint64_t made_ = 0;
  unsigned last_success_ = 0;  // rounds until the best was found
  unsigned agreements_ = 0;    // searches since the best was found that ended at its cost
};

}  // namespace

MapperAnswer search_on(const MappingTask& task, std::vector<Candidate> candidates) {
  return Search(task, std::move(candidates)).run().answer();
}

MapperAnswer descend_on(const MappingTask& task, std::vector<Candidate> candidates) {
  return Search(task, std::move(candidates)).descend().answer();
}

}  // namespace tofa
