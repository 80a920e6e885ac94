// SPDX-License-Identifier: BSD-3-Clause
// The annealer that follows loads: see load_annealing.hpp.
#include "mapping/search/load_annealing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "mapping/objective.hpp"
#include "mapping/pace.hpp"
#include "mapping/search/line_loads.hpp"
#include "mapping/search/partner_sums.hpp"
#include "mapping/search/risk_tally.hpp"
#include "mapping/search/route_loads.hpp"
#include "mapping/search/thresholds.hpp"

namespace tofa {
namespace {

// How often the clock is looked at and the temperature lowered, in tries.
constexpr std::uint64_t kTriesAtOnce = 256;
// How often the loads are added up anew: that takes as long as a try of each rank, and as long as
// one for every few dozen links.
constexpr std::uint64_t kRenewedByRank = 8;   // tries
constexpr std::uint64_t kRenewedByLinks = 4;  // links

// Moves that lengthen ways by more than what so many temperatures are worth are not looked at: they
// hardly ever relieve links by as much, and most moves are of that kind. Not so those of ranks on
// busy links, which may save all that these cost.
constexpr float kMuchLonger = 12;

// A share of the tries is made to find the first temperature: one of so many.
constexpr std::uint64_t kTriesToMeasure = 64;
// The last temperature as a share of the first.
constexpr double kCooled = 0.07;

// How it is warmed up to where cooling begins: from a share of the estimate on, a step after the
// other of so many tries, until links get so much busier than the least so far, by what the
// objective says of them, ways longer than before, or it is so many times as hot as the estimate.
// Ways may get a fifth longer where there are so many tries of a rank, and the fewer there are, the
// less: what cannot be mended is not to be spoilt. Where a step changes next to nothing the next
// one is a double one.
constexpr double kColdest = 0.5;
constexpr double kHottest = 64;
constexpr double kStep = 1.4;
constexpr double kTriesOfStep = 0.04;  // of all
constexpr double kMostToWarm = 0.5;    // of all
constexpr double kBusier = 1.04;
constexpr double kLonger = 0.2;
constexpr double kTriesToMend = 500;
constexpr double kFewToMend = 25;
constexpr double kNextToNothing = 0.002;

// Links are busy that carry such a share of what the busiest one does. Of the tries, the largest
// share that is kept for ranks with traffic there.
constexpr double kBusy = 0.85;
constexpr double kMostForBusy = 0.94;
// How much hotter it may be for them than for others, how much more or less from one count to the
// next, and the fewest tries of both that are worth counting.
constexpr double kHottestBusy = 16;
constexpr double kHotter = 1.5;
constexpr std::uint64_t kEnoughToCount = 20;

// What all ways cost together, in the units of the search space.
template <typename Costs>
double cost_of_ways(const SearchSpace& space, const Costs& costs, const Seating& seating) {
  double sum = 0;
  for (const Rank rank : space.active_ranks()) {
    const auto row = costs.row(costs.key(seating.entry(rank)));
    for (const auto& [partner, weight] : space.partners(rank)) {
      if (partner < rank) continue;
      sum += static_cast<double>(weight) * Costs::at(row, costs.key(seating.entry(partner)));
    }
  }
  return sum;
}

template <typename Loads, typename Sums>
class LoadAnnealer {
 public:
  LoadAnnealer(const SearchSpace& space, const SmoothTime& time, Loads&& loads, Sums&& sums,
               RandomSource random, Seating& seating)
      : space_(space),
        plan_(space.plan()),
        time_(time),
        flows_(space.task().graph, time.bytes_per_unit()),
        by_entry_(flows_, plan_.entries()),
        loads_(std::move(loads)),
        sums_(std::move(sums)),
        random_(random),
        seating_(seating),
        entry_of_(space.task().graph.ranks()) {
    for (Rank rank = 0; rank < entry_of_.size(); ++rank) entry_of_[rank] = seating.entry(rank);
    if (space.cost().risky()) risks_.emplace(space, seating);
    renew();
  }

  // `ways` is what all ways cost now.
  void run(const LoadSchedule& schedule, double ways) {
    if (ways <= 0) return;
    time_per_weight_ = static_cast<float>((value() - value_of({})) / time_.bytes_per_unit() / ways);
    risk_weight_ =
        static_cast<std::int64_t>(static_cast<double>(space_.risk_weight()) * schedule.risk);
    const double estimate = estimated_temperature(schedule.temperature * time_per_weight_,
                                                  schedule.tries / kTriesToMeasure);
    if (estimate <= 0) return;
    best_ = judged();
    best_mapping_ = seating_.mapping();
    Pace pace(schedule.due, space_.task().trace);
    const Warmed warmed = warm_up(estimate, schedule.tries, pace);
    cool(schedule.first * warmed.temperature, warmed, schedule.tries, pace);
    add_up();
    if (judged() > best_) seating_ = Seating(plan_, best_mapping_);
  }

 private:
  // Between what an anneal on distances says and what the smallest moves change, as far as the two
  // are about the same: where an arrangement is regular, every move changes a lot, and where ranks
  // are alike, many change nothing.
  double estimated_temperature(double of_distances, std::uint64_t samples) {
    constexpr std::uint64_t enough = 1024;
    constexpr double coldest = 0.5;
    constexpr double hottest = 2;
    const double measured = small_change(std::min(samples, enough));
    return std::clamp(std::sqrt(of_distances * measured), coldest * of_distances,
                      hottest * of_distances);
  }

  // What a tenth of the moves that change anything change at most, up or down.
  double small_change(std::uint64_t samples) {
    std::vector<float> changes;
    changes.reserve(samples);
    for (std::uint64_t i = 0; i < samples; ++i) {
      if (i % kTriesAtOnce == 0 && space_.task().deadline.passed()) break;
      const auto [rank, target_seat] = space_.draw(seating_, random_);
      const std::uint32_t source = seating_.entry(rank);
      const std::uint32_t target = plan_.entry_of(target_seat);
      if (source == target) continue;
      const Rank other = seating_.occupant(target_seat);
      const float change = std::abs(propose(rank, other, source, target));
      loads_.forget();
      if (change > 0 && std::isfinite(change)) changes.push_back(change);
    }
    if (changes.empty()) return 0;
    const auto tenth = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 10);
    std::nth_element(changes.begin(), tenth, changes.end());
    return *tenth;
  }

  // Where warming up ends: after so many tries, and such a share of all there is to do.
  struct Warmed {
    double temperature;
    std::uint64_t tries;
    double progress;
  };

  // What is too cold leaves links as they are, and what is too hot loses what lies beside what. How
  // much is borne differs from task to task by a factor of ten and more, and links tell: while it
  // is warmed up, they are relieved first and get busier again in the end.
  Warmed warm_up(double estimate, std::uint64_t all_tries, Pace& pace) {
    const auto all = static_cast<double>(all_tries);
    // To add up loads at the end of a step takes as long as a try of each rank.
    const auto tries = std::max<std::uint64_t>(
        {kTriesAtOnce, entry_of_.size(), static_cast<std::uint64_t>(kTriesOfStep * all)});
    const double before = smooth_value();
    const double of_rank =
        std::clamp(all / static_cast<double>(entry_of_.size()), kFewToMend, kTriesToMend);
    const double longest = (1 + kLonger * of_rank / kTriesToMend) * sums_of_loads_.sum;
    double last = before;
    double least = before;
    Warmed warmed{kColdest * estimate, 0, 0};
    while (true) {
      temperature_ = static_cast<float>(warmed.temperature);
      const std::uint64_t end = warmed.tries + tries;
      for (; warmed.tries < end && !space_.task().deadline.passed(); warmed.tries += kTriesAtOnce)
        make_some_tries();
      warmed.progress = pace.progress(static_cast<double>(warmed.tries) / all);
      renew();
      keep_if_best();
      const double now = smooth_value();
      least = std::min(least, now);
      const double step = std::abs(now - last) < kNextToNothing * before ? kStep * kStep : kStep;
      last = now;
      const bool is_hot = now > kBusier * least || sums_of_loads_.sum > longest ||
                          step * warmed.temperature > kHottest * estimate;
      const bool is_over = warmed.progress > kMostToWarm || space_.task().deadline.passed();
      if (is_hot || is_over) return warmed;
      warmed.temperature *= step;
    }
  }

  void cool(double start, const Warmed& warmed, std::uint64_t tries, Pace& pace) {
    const std::uint64_t to_renew = tries_to_renew();
    std::uint64_t since = 0;
    for (std::uint64_t done = warmed.tries; done < tries; done += kTriesAtOnce) {
      const double progress = pace.progress(static_cast<double>(done) / static_cast<double>(tries));
      if (progress >= 1 || space_.task().deadline.passed()) return;
      const double share = (progress - warmed.progress) / (1 - warmed.progress);
      temperature_ = static_cast<float>(start * std::pow(kCooled, std::max(share, 0.0)));
      make_some_tries();
      since += kTriesAtOnce;
      if (since < to_renew) continue;
      renew();
      keep_if_best();
      since = 0;
    }
  }

  void make_some_tries() {
    space_.task().trace.report_progress();
    for (std::uint64_t i = 0; i < kTriesAtOnce; ++i) try_move();
  }

  // To be asked when loads have been added up.
  void keep_if_best() {
    if (judged() >= best_) return;
    best_ = judged();
    best_mapping_ = seating_.mapping();
  }

  std::uint64_t tries_to_renew() const {
    return std::max(kRenewedByRank * entry_of_.size(),
                    space_.task().topology.links() / kRenewedByLinks);
  }

  // Also who has traffic on busy links, as long as there is time to relieve them.
  void renew() {
    add_up();
    if (space_.task().deadline.passed()) return;
    find_busy();
    balance_heat();
  }

  // From nothing, so that rounding does not add up.
  void add_up() {
    loads_.clear();
    for (Rank rank = 0; rank < entry_of_.size(); ++rank)
      loads_.put_down(by_entry_.of(rank, entry_of_.data()), entry_of_[rank], 0.5F);
    loads_.keep();
    sums_of_loads_ = loads_.sums();
    time_.begin(sums_of_loads_.norm);
  }

  // Of thousands of ranks few can relieve the busiest links. So they get as large a share of the
  // tries as these links have in what the objective says.
  void find_busy() {
    busy_.clear();
    if (sums_of_loads_.most <= 0) return;
    LoadSums of_busiest;
    of_busiest.most = sums_of_loads_.norm;
    const double nothing = value_of({});
    share_of_busy_ =
        std::min(kMostForBusy, (value_of(of_busiest) - nothing) / (smooth_value() - nothing));
    loads_.mark(static_cast<float>(kBusy * sums_of_loads_.most));
    for (Rank rank = 0; rank < entry_of_.size(); ++rank) {
      const auto flows = by_entry_.of(rank, entry_of_.data());
      if (loads_.meets_marked(flows, entry_of_[rank])) busy_.push_back(rank);
    }
  }

  // A rank that leaves a busy link changes by far more than others what the objective says: what is
  // hot enough for these leaves it where it is, and what would be hot enough for it tears the rest
  // apart. So it is as hot for ranks on busy links as makes moves of theirs as frequent as others.
  void balance_heat() {
    if (std::min(of_busy_.tries, of_others_.tries) < kEnoughToCount) return;
    const double as_often = static_cast<double>(of_others_.made * of_busy_.tries) /
                            static_cast<double>(of_others_.tries);
    const double wanted = std::sqrt((as_often + 1) / (static_cast<double>(of_busy_.made) + 1));
    heat_of_busy_ =
        std::clamp(heat_of_busy_ * std::clamp(wanted, 1 / kHotter, kHotter), 1.0, kHottestBusy);
    of_busy_ = of_others_ = {};
  }

  // Of the objective, in bytes, for such loads.
  double value_of(const LoadSums& sums) const {
    const double unit = time_.bytes_per_unit();
    Metrics metrics;
    metrics.ranks = space_.task().graph.ranks();
    metrics.bytes = space_.task().graph.total_bytes();
    metrics.hop_bytes = sums.sum * unit;
    metrics.max_link_load = sums.most * unit;
    metrics.squared_load = sums.squares * unit * unit;
    return objective_value(space_.task().objective, metrics, space_.task().abort_cost);
  }
  double value() const { return value_of(sums_of_loads_); }
  // With the norm in place of the busiest link, of which a single move makes another.
  double smooth_value() const {
    LoadSums sums = sums_of_loads_;
    sums.most = sums.norm;
    return value_of(sums);
  }
  // With what it costs to use nodes that are worth avoiding, more or less than at first.
  double judged() const {
    return value() + static_cast<double>(time_per_weight_) * time_.bytes_per_unit() *
                         static_cast<double>(risk_);
  }

  void try_move() {
    if (busy_.empty() || random_.unit() >= share_of_busy_)
      return try_move(space_.draw(seating_, random_), 1, kMuchLonger * temperature_, of_others_);
    const Rank rank = busy_[random_.below(static_cast<std::uint32_t>(busy_.size()))];
    try_move({rank, space_.draw_target(rank, seating_, random_)}, static_cast<float>(heat_of_busy_),
             time_.of_norm(), of_busy_);
  }

  // Of moves that were tried, how many were made.
  struct Count {
    std::uint64_t tries = 0;
    std::uint64_t made = 0;
  };

  // So many times as hot as it is, if it may save so much.
  void try_move(const SearchSpace::Draw& draw, float hotter, float most_saved, Count& count) {
    const auto [rank, target_seat] = draw;
    ++count.tries;
    const float limit = hotter * temperature_ * thresholds_.draw(random_);
    const Seat source_seat = seating_.seat(rank);
    const std::uint32_t source = plan_.entry_of(source_seat);
    const std::uint32_t target = plan_.entry_of(target_seat);
    if (source == target) return;
    const Rank other = seating_.occupant(target_seat);
    if (!plan_.allows(rank, target_seat) || !plan_.allows(other, source_seat)) return;
    const float longer =
        time_per_weight_ * static_cast<float>(sums_.change(rank, other, source, target));
    const float worth_looking = limit + most_saved;
    if (longer > worth_looking) return;
    float delta = 0;
    std::int64_t risk = 0;
    if (risks_) {
      if (longer - weight_of(risks_->most_saved(rank, other)) > worth_looking) return;
      risk = risks_->change(rank, other, source, target);
      delta = weight_of(risk);
      if (longer + delta > worth_looking) return;
    }
    // What is too large for a number is not made, either.
    if (!(delta + propose(rank, other, source, target) <= limit)) return loads_.forget();
    ++count.made;
    loads_.keep();
    entry_of_[rank] = target;
    if (other != kNoRank) entry_of_[other] = source;
    time_.keep(change_);
    if (risks_) risks_->exchange(rank, other, source, target);
    risk_ += risk_weight_ * risk;
    seating_.swap_to(rank, target_seat);
    sums_.exchange(rank, other, source, target);
  }

  // Of uses of nodes that are worth avoiding.
  float weight_of(std::int64_t risk) const {
    return time_per_weight_ * static_cast<float>(risk_weight_ * risk);
  }

  // What it changes if a rank goes there and another here; to be kept or forgotten.
  float propose(Rank rank, Rank other, std::uint32_t here, std::uint32_t there) {
    const auto flows = by_entry_.of_exchange(rank, other, entry_of_.data());
    loads_.put_down(flows, here, -1);
    loads_.put_down(flows, there, 1);
    change_ = loads_.change(time_);
    return time_.value(change_);
  }

  const SearchSpace& space_;
  const SeatPlan& plan_;
  SmoothTime time_;
  const Flows flows_;
  EntryFlows by_entry_;
  Loads loads_;
  Sums sums_;
  RandomSource random_;
  Seating& seating_;
  const Thresholds& thresholds_ = Thresholds::table();
  std::optional<RiskTally> risks_;       // where nodes are worth avoiding
  std::vector<std::uint32_t> entry_of_;  // by rank
  LoadSums sums_of_loads_;
  SmoothTime::Change change_;  // that is proposed
  float temperature_ = 0;      // in units of the objective
  float time_per_weight_ = 0;  // such units per unit of what ways cost
  std::int64_t risk_weight_ = 0;
  std::int64_t risk_ = 0;     // since the start, times what it weighs
  std::vector<Rank> busy_;    // that have traffic on busy links, when loads were added up
  double share_of_busy_ = 0;  // of the tries
  double heat_of_busy_ = 1;   // times the temperature
  Count of_busy_;             // since heat was balanced
  Count of_others_;
  double best_ = 0;  // of what was met when loads had been added up
  Mapping best_mapping_;
};

}  // namespace

void anneal_loads(const SearchSpace& space, const LoadSchedule& schedule, RandomSource random,
                  Seating& seating) {
  const MappingTask& task = space.task();
  const double bytes = static_cast<double>(task.graph.total_bytes());
  const SmoothTime time(task, std::max(1.0, bytes / task.graph.ranks()));
  if (!time.counts() || bytes == 0 || space.plan().entries() < 2) return;
  space.cost().with_costs([&](const auto& costs) {
    using Sums = PartnerSums<std::decay_t<decltype(costs)>>;
    const auto run = [&](auto&& loads) {
      using Loads = std::decay_t<decltype(loads)>;
      LoadAnnealer<Loads, Sums>(space, time, std::forward<decltype(loads)>(loads),
                                Sums(space, costs, seating), random, seating)
          .run(schedule, cost_of_ways(space, costs, seating));
    };
    if (std::optional<LineLoads> lines = LineLoads::of(task.topology, space.plan())) {
      run(std::move(*lines));
    } else {
      run(RouteLoads(task.topology, space.plan()));
    }
  });
}

}  // namespace tofa
