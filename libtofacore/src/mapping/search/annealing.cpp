// SPDX-License-Identifier: BSD-3-Clause
// The annealer: see annealing.hpp. How moves are found and judged is for those who make them:
// single_moves.hpp and heat_bath.hpp.
#include "mapping/search/annealing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/lanes.hpp"
#include "mapping/objective.hpp"
#include "mapping/pace.hpp"
#include "mapping/search/border_moves.hpp"
#include "mapping/search/heat_bath.hpp"
#include "mapping/search/ledger_rule.hpp"
#include "mapping/search/risk_tally.hpp"
#include "mapping/search/single_moves.hpp"
#include "mapping/search/standing_room.hpp"
#include "mapping/search/zone.hpp"

namespace tofa {
namespace {

// How often the clock is looked at and the temperature lowered, in moves.
constexpr std::uint64_t kStride = 2048;

// By how much moves change the cost, up or down, of those that change it.
double mean_change(const std::vector<double>& changes) {
  double sum = 0;
  for (const double change : changes) sum += std::abs(change);
  const auto none = std::count(changes.begin(), changes.end(), 0.0);
  return sum > 0 ? sum / static_cast<double>(changes.size() - none) : 1;
}

// The temperature at which one of ten would be made; 0 where without any heat as many are.
double stirring(const std::vector<double>& changes) {
  constexpr double one_of = 10;
  constexpr unsigned steps = 40;  // of halving an interval, down to rounding
  const auto made_at = [&changes](double temperature) {
    double sum = 0;
    for (const double change : changes) sum += std::exp(-std::max(0.0, change) / temperature);
    return sum;
  };
  const double wanted = static_cast<double>(changes.size()) / one_of;
  double low = 0;
  double high = changes.empty() ? 0 : *std::max_element(changes.begin(), changes.end());
  for (unsigned i = 0; i < steps && high > 0; ++i) {
    const double middle = 0.5 * (low + high);
    (made_at(middle) > wanted ? high : low) = middle;
  }
  return low;
}

// What a thousand draws say; some come to no move.
template <typename Draw>
std::vector<double> some_changes(const Draw& draw) {
  constexpr unsigned samples = 1024;
  std::vector<double> changes;
  for (unsigned i = 0; i < samples; ++i) {
    if (const std::optional<std::int64_t> change = draw())
      changes.push_back(static_cast<double>(*change));
  }
  return changes;
}

double stirring_heat(double hottest, double stirring) {
  constexpr double least_heat = 0.02;  // of the hottest, where much can be had without any
  return std::max(least_heat * hottest, stirring);
}

// Where that is all that is known.
Freezing stirred_only(double stirred) {
  constexpr double freezes_at = 0.1;  // of the heat that stirs
  return {{stirred, freezes_at * stirred}, {1, 0}, stirred, 1};
}

// Cools an arrangement. `Moves` makes some moves at a temperature, in steps that count as so many
// moves each, and says by how much they changed the cost. After `steps_to_settle` at no temperature
// it finds next to nothing any more; 0 where that takes too long to be worth it.
template <typename Moves>
class Annealer {
 public:
  Annealer(const SearchSpace& space, Moves&& moves, Seating& seating)
      : space_(space), moves_(std::move(moves)), seating_(seating) {}

  bool run(const AnnealingSchedule& schedule) {
    const double cooling = std::log(schedule.end / schedule.start);
    const std::uint64_t steps = steps_of_a_stride();
    const std::uint64_t stride = steps * moves_.moves_of_a_step();
    std::int64_t current = 0;
    std::int64_t best = 0;
    Seating best_seating = seating_;
    // A new best is copied at most once per so many moves as there are ranks: at every improvement
    // it would cost more than it gains.
    std::uint64_t moves_since_copy = 0;
    // What settling takes is kept of the moves and the time, as long as it is not the most of them.
    const std::uint64_t settling = schedule.goes_on ? 0 : moves_.steps_to_settle();
    const std::uint64_t at_rest = settling * moves_.moves_of_a_step();
    const std::uint64_t cooled = schedule.moves - std::min(at_rest, schedule.moves / 4);
    const double moves = static_cast<double>(schedule.moves);
    Pace pace(schedule.due, space_.task().trace);
    for (std::uint64_t done = 0; done < cooled; done += stride) {
      space_.task().trace.report_progress();
      const double progress =
          pace.progress(static_cast<double>(done) / moves) * moves / static_cast<double>(cooled);
      if (progress >= 1 || space_.task().deadline.passed()) break;
      const auto temperature = static_cast<float>(schedule.start * std::exp(cooling * progress));
      for (std::uint64_t step = 0; step < steps; ++step) current += moves_.step(temperature);
      moves_since_copy += stride;
      if (current < best && moves_since_copy >= space_.task().graph.ranks()) {
        best = current;
        best_seating = seating_;
        moves_since_copy = 0;
      }
    }
    for (std::uint64_t step = 0; step < settling; ++step) {
      if (step % steps == 0 && space_.task().deadline.passed()) break;
      current += moves_.step(0);
    }
    if (current <= best || schedule.goes_on || schedule.is_probe) return true;
    seating_ = best_seating;
    return false;
  }

  Freezing measure(std::uint64_t moves, const std::optional<Deadline>& due) {
    constexpr unsigned temperatures = 40;
    constexpr double ratio = 0.82;  // of a temperature to the one before; 1 : 2300 in all
    const double hottest = mean_change(draw_changes(Reach::anywhere));
    const double stirred =
        stirring_heat(hottest, Moves::kHeat * stirring(draw_changes(Reach::near)));
    if (moves == 0) return stirred_only(stirred);
    const std::uint64_t steps =
        std::max<std::uint64_t>(moves / temperatures / moves_.moves_of_a_step(), 2);
    std::vector<double> measured;
    std::vector<double> costs;
    std::int64_t current = 0;
    Pace pace(due, space_.task().trace);
    for (unsigned i = 0; i < temperatures; ++i) {
      if (space_.task().deadline.passed() && i >= 2) break;
      measured.push_back(hottest * std::pow(ratio, i));
      const auto temperature = static_cast<float>(measured.back());
      costs.push_back(mean_cost(temperature, steps, current, [&](double share) {
        return pace.progress((i + share) / temperatures) >= (i + 1.0) / temperatures;
      }));
    }
    return {std::move(measured), std::move(costs), stirred, hurry()};
  }

 private:
  // By the moves that were made, of which the clock may have left fewer than planned.
  double hurry() const {
    const MappingTask& task = space_.task();
    // What is too hot for a while makes links busier.
    const double enough = task.objective->counts_loads ? 15 : Moves::kEnough;
    const auto made = static_cast<double>(measured_ * moves_.moves_of_a_step());
    return std::max(0.0, 1 - made / task.graph.ranks() / enough);
  }

  std::uint64_t steps_of_a_stride() const {
    return std::max<std::uint64_t>(kStride / moves_.moves_of_a_step(), 1);
  }

  std::vector<double> draw_changes(Reach reach) {
    return some_changes([this, reach] { return moves_.draw_change(reach); });
  }

  // While it settles, the cost does not count. `is_late` says whether a share of the steps has
  // taken as long as all of them should.
  template <typename IsLate>
  double mean_cost(float temperature, std::uint64_t steps, std::int64_t& current,
                   const IsLate& is_late) {
    constexpr std::uint64_t fewest = 2;
    constexpr std::uint64_t looks = 8;  // at the clock, at least, where there are as many steps
    const std::uint64_t settling = steps / 2;
    const std::uint64_t stride = std::clamp<std::uint64_t>(steps / looks, 1, steps_of_a_stride());
    double sum = 0;
    std::uint64_t step = 0;
    for (; step < steps; ++step) {
      if (step % stride == 0 && step >= fewest &&
          is_late(static_cast<double>(step) / static_cast<double>(steps))) {
        break;
      }
      current += moves_.step(temperature);
      if (step >= settling) sum += static_cast<double>(current);
    }
    measured_ += step;
    return step > settling ? sum / static_cast<double>(step - settling)
                           : static_cast<double>(current);
  }

  const SearchSpace& space_;
  Moves moves_;
  Seating& seating_;
  std::uint64_t measured_ = 0;  // steps
};

// Calls `run` with an annealer for this kind of cost.
template <typename Run>
auto with_annealer(const SearchSpace& space, const Zone& zone, double risk, RandomSource random,
                   Seating& seating, const Run& run, StandingPrice* price = nullptr) {
  const auto anneal_with = [&](auto&& moves) {
    Annealer annealer(space, std::forward<decltype(moves)>(moves), seating);
    return run(annealer);
  };
  const auto judge_by = [&](auto&& sums) {
    using Sums = std::decay_t<decltype(sums)>;
    if (space.cost().risky()) {
      return anneal_with(SingleMoves<Sums, true>(space, std::forward<decltype(sums)>(sums), zone,
                                                 risk, random, seating));
    }
    return anneal_with(SingleMoves<Sums, false>(space, std::forward<decltype(sums)>(sums), zone,
                                                risk, random, seating));
  };
  if (price != nullptr || BorderMoves::serves(space, zone, seating))
    return anneal_with(BorderMoves(space, zone, random, seating, price));
  if (std::optional<SeatBox> box = HeatBath::find_box(space, zone)) {
    return anneal_with(HeatBath(space, zone, std::move(*box), random, seating));
  }
  if (ledger_serves(space.task()) && space.axes())
    return judge_by(LedgerSums(space, seating, zone.looked_at(space)));
  return space.cost().with_costs([&](const auto& costs) {
    return judge_by(PartnerSums<std::decay_t<decltype(costs)>>(space, costs, seating));
  });
}

// Whether draws can be judged without the tables that looks at all seats need: to make these for
// thousands of ranks takes a tenth of a short search.
bool draws_come_cheap(const SearchSpace& space, const Seating& seating) {
  return !BorderMoves::serves(space, {}, seating) && HeatBath::find_box(space, {}).has_value();
}

template <typename Costs>
Freezing stirring_by_draws(const SearchSpace& space, const Costs& costs, RandomSource random,
                           Seating& seating) {
  SingleMoves<PartnerSums<Costs>, false> moves(space, PartnerSums<Costs>(space, costs, seating), {},
                                               1, random, seating);
  const auto changes = [&moves](Reach reach) {
    return some_changes([&moves, reach] { return moves.draw_change(reach); });
  };
  const double hottest = mean_change(changes(Reach::anywhere));
  return stirred_only(stirring_heat(hottest, HeatBath::kHeat * stirring(changes(Reach::near))));
}

bool anneal_zone(const SearchSpace& space, const AnnealingSchedule& schedule, const Zone& zone,
                 RandomSource random, Seating& seating, StandingPrice* price = nullptr) {
  if (space.plan().entries() < 2 || space.task().graph.ranks() == 0) return true;
  if (!zone.everything() && zone.ranks.empty()) return true;
  return with_annealer(
      space, zone, schedule.risk, random, seating,
      [&](auto& annealer) { return annealer.run(schedule); }, price);
}

// The more often zones change, the less it matters where they were cut; setting up the tables of a
// phase takes as long as a few moves of each rank.
unsigned count_phases(const SearchSpace& space, std::uint64_t moves) {
  constexpr std::uint64_t moves_of_a_rank = 25;
  const std::uint64_t fewest = moves < 6 * space.active_ranks().size() ? 2 : 8;
  constexpr std::uint64_t most = 64;
  const std::uint64_t shortest =
      std::max(moves_of_a_rank * space.active_ranks().size(), 4 * kStride);
  return static_cast<unsigned>(std::clamp(moves / shortest, fewest, most));
}

// Halves of the machine, by entry, others in every phase: a grid is cut across one dimension after
// the other; elsewhere they are runs of the allocation, since node lists follow the machine.
std::vector<std::uint8_t> divide_in_zones(const SearchSpace& space, unsigned phase,
                                          RandomSource& random) {
  const auto entries = static_cast<std::uint32_t>(space.plan().entries());
  std::vector<std::uint8_t> zone_of(entries);
  const auto half_of = [shift = random.next()](std::uint64_t at, std::uint64_t extent) {
    return (at + shift % extent) % extent < extent / 2 ? std::uint8_t{0} : std::uint8_t{1};
  };
  std::vector<std::size_t> dimensions;
  const std::optional<GridAxes>& axes = space.axes();
  for (std::size_t d = 0; axes && d < axes->dimensions(); ++d) {
    if (axes->begin(d + 1) - axes->begin(d) > 1) dimensions.push_back(d);
  }
  for (std::uint32_t entry = 0; entry < entries; ++entry) {
    if (dimensions.empty()) {
      zone_of[entry] = half_of(entry, entries);
    } else {
      const std::size_t d = dimensions[phase % dimensions.size()];
      const std::uint32_t begin = axes->begin(d);
      zone_of[entry] = half_of(axes->at(entry)[d] - begin, axes->begin(d + 1) - begin);
    }
  }
  return zone_of;
}

// `prices` are those of the lanes, if there is room to stand.
void anneal_zones(const SearchSpace& space, const AnnealingSchedule& schedule, RandomSource random,
                  Seating& seating, std::array<StandingPrice, kLanes>* prices = nullptr) {
  const unsigned phases = count_phases(space, schedule.moves);
  const std::size_t entries = space.plan().entries();
  const double cooling = schedule.end / schedule.start;
  Pace pace(schedule.due, space.task().trace);
  double progress = 0;
  double stretch = 1.0 / phases;  // of the progress, that a phase takes
  for (unsigned phase = 0; progress < 1 && !space.task().deadline.passed(); ++phase) {
    const std::vector<std::uint8_t> zone_of = divide_in_zones(space, phase, random);
    std::array<std::vector<Rank>, kLanes> ranks;
    for (const Rank rank : space.active_ranks())
      ranks[zone_of[seating.entry(rank)]].push_back(rank);
    const double end = phase + 1 < phases ? std::min(1.0, progress + stretch) : 1;
    AnnealingSchedule part = schedule;
    part.start = schedule.start * std::pow(cooling, progress);
    part.end = schedule.start * std::pow(cooling, end);
    part.goes_on = schedule.goes_on || end < 1;
    if (schedule.due) {
      // As long as there is time, a short pause need not be made up for within a phase.
      const double patience = stretch > 1.0 / phases ? 1 : 2;
      const double share = (end - progress) / (1 - progress);
      part.due = schedule.due->share(std::min(1.0, patience * share));
    }
    std::array<Seating, kLanes> seatings = {seating, seating};
    const std::array<RandomSource, kLanes> randoms = {RandomSource(random.next()),
                                                      RandomSource(random.next())};
    const double half = static_cast<double>(space.active_ranks().size()) / kLanes;
    run_lanes([&](unsigned lane) {
      AnnealingSchedule own = part;
      // A zone of few ranks gets as many moves for each as the other.
      const double share = std::min(1.0, static_cast<double>(ranks[lane].size()) / half);
      own.moves = static_cast<std::uint64_t>(share * static_cast<double>(schedule.moves) / phases);
      const Zone zone{std::move(ranks[lane]), &zone_of, static_cast<std::uint8_t>(lane)};
      anneal_zone(space, own, zone, randoms[lane], seatings[lane],
                  prices == nullptr ? nullptr : &(*prices)[lane]);
    });
    // Everybody stayed in a zone, so the two arrangements fit together.
    for (std::size_t entry = 0; entry < entries; ++entry) {
      seating.copy_entry(static_cast<std::uint32_t>(entry), seatings[zone_of[entry]]);
    }
    const double before = progress;
    progress = end < 1 ? pace.progress(static_cast<double>(phase + 1) / phases) : 1;
    stretch = std::max(1.0 / phases, progress - before);
  }
}

// Twice the traffic times the distance it goes, where that is in a grid.
std::int64_t distance_of(const SearchSpace& space, const Seating& seating) {
  std::int64_t sum = 0;
  for (const Rank rank : space.active_ranks()) {
    for (const auto& [partner, weight] : space.partners(rank)) {
      const std::int64_t hops = space.axes()->distance(seating.entry(rank), seating.entry(partner));
      sum += weight * hops;
    }
  }
  return sum;
}

// Anneals with room to stand for most of the moves, seats whoever stands at the end, and mends that
// with the rest. `anneal` does a part, given prices or none. Whether what that ends with is better
// than what it began with; if not, that is left.
template <typename Anneal>
bool anneal_with_room(const SearchSpace& space, const AnnealingSchedule& schedule, Seating& seating,
                      const Anneal& anneal) {
  constexpr double share = 0.95;   // of the moves
  constexpr double coldest = 0.5;  // of the last temperature
  AnnealingSchedule roomy = schedule;
  roomy.moves = static_cast<std::uint64_t>(share * static_cast<double>(schedule.moves));
  roomy.goes_on = true;
  if (schedule.due) roomy.due = schedule.due->share(share);
  AnnealingSchedule rest = schedule;
  rest.moves -= roomy.moves;
  rest.start = schedule.end;
  rest.end = coldest * schedule.end;

  const MappingTask& task = space.task();
  const SeatPlan places = with_standing_room(task);
  Seating standing(places, seating.mapping());
  const StandingPrice price(schedule.start, schedule.end);
  std::array<StandingPrice, kLanes> prices = {price, price};
  anneal(roomy, standing, &prices);
  Mapping mapping = standing.mapping();
  repair_slots(mapping, task.topology, task.allocation);
  Seating mended(space.plan(), mapping);
  anneal(rest, mended, nullptr);
  if (!schedule.is_probe && distance_of(space, mended) > distance_of(space, seating)) return false;
  seating = mended;
  return true;
}

}  // namespace

Freezing measure_freezing(const SearchSpace& space, std::uint64_t moves, RandomSource random,
                          Seating& seating, const std::optional<Deadline>& due) {
  if (space.plan().entries() < 2 || space.task().graph.ranks() == 0) return {{1, 1}, {0, 0}};
  if (moves == 0 && draws_come_cheap(space, seating)) {
    return space.cost().with_costs(
        [&](const auto& costs) { return stirring_by_draws(space, costs, random, seating); });
  }
  return with_annealer(space, {}, 1, random, seating,
                       [&](auto& annealer) { return annealer.measure(moves, due); });
}

bool anneal(const SearchSpace& space, const AnnealingSchedule& schedule, RandomSource random,
            Seating& seating) {
  if (!BorderMoves::serves(space, {}, seating))
    return anneal_zone(space, schedule, {}, random, seating);
  return anneal_with_room(
      space, schedule, seating,
      [&](const AnnealingSchedule& part, Seating& own, std::array<StandingPrice, kLanes>* prices) {
        anneal_zone(space, part, {}, RandomSource(random.next()), own,
                    prices == nullptr ? nullptr : prices->data());
      });
}

void anneal_in_zones(const SearchSpace& space, const AnnealingSchedule& schedule,
                     RandomSource random, Seating& seating) {
  if (!BorderMoves::serves(space, {}, seating)) {
    anneal_zones(space, schedule, random, seating);
    return;
  }
  anneal_with_room(
      space, schedule, seating,
      [&](const AnnealingSchedule& part, Seating& own, std::array<StandingPrice, kLanes>* prices) {
        anneal_zones(space, part, RandomSource(random.next()), own, prices);
      });
}

void anneal_exposed(const SearchSpace& space, const AnnealingSchedule& schedule,
                    RandomSource random, Seating& seating) {
  constexpr std::uint64_t moves_of_a_rank = 20;
  constexpr std::uint64_t fewest = 2 * kStride;  // moves of a round
  constexpr double progress = 0.9;               // at most so many are left of the fewest before
  constexpr unsigned patience = 3;               // rounds without
  constexpr double most = 0.75;                  // of all ranks; if more have, nobody can leave
  const Rank ranks = space.task().graph.ranks();
  double least = HUGE_VAL;
  unsigned stuck = 0;
  for (std::uint64_t left = schedule.moves; left > 0 && !space.task().deadline.passed();) {
    RiskTally risks(space, seating);
    Zone zone;
    for (Rank rank = 0; rank < ranks; ++rank)
      if (risks.used(rank) > 0) zone.ranks.push_back(rank);
    const auto exposed = static_cast<double>(zone.ranks.size());
    stuck = exposed > progress * least ? stuck + 1 : 0;
    least = std::min(least, exposed);
    if (exposed == 0 || exposed > most * ranks || stuck == patience) return;
    AnnealingSchedule round = schedule;
    round.moves = std::min(left, fewest + moves_of_a_rank * zone.ranks.size());
    round.goes_on = true;
    // To set up a round takes as long as a move of each rank.
    left -= std::min(left, round.moves + ranks);
    anneal_zone(space, round, zone, RandomSource(random.next()), seating);
  }
}

void anneal_beside(const SearchSpace& space, std::uint64_t moves, Rank ranks, std::size_t entries,
                   RandomSource random, Seating& seating) {
  constexpr std::uint64_t share_to_measure = 10;
  constexpr double from = 0.95;  // shares of what cooling saves, between which it is warmed up
  constexpr double to = 0.995;
  if (entries < 2 || ranks == 0) return;
  std::vector<std::uint8_t> zone_of(space.plan().entries(), 1);
  std::fill_n(zone_of.begin(), entries, std::uint8_t{0});
  Zone zone{{}, &zone_of, 0, ranks};
  for (const Rank rank : space.active_ranks())
    if (rank < ranks) zone.ranks.push_back(rank);
  if (zone.ranks.empty()) return;
  const std::uint64_t measuring = moves / share_to_measure;
  Seating hot = seating;
  const Freezing freezing =
      with_annealer(space, zone, 1, RandomSource(random.next()), hot,
                    [&](auto& annealer) { return annealer.measure(measuring, std::nullopt); });
  anneal_zone(space, {moves - measuring, freezing.temperature(from), freezing.temperature(to)},
              zone, RandomSource(random.next()), seating);
}

}  // namespace tofa
