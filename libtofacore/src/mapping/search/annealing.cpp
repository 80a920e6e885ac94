// SPDX-License-Identifier: BSD-3-Clause
// The annealer: see annealing.hpp. Its inner loop is where placement spends its time, so it is
// compiled for each kind of cost, adds up whole numbers, and keeps what it reads in few bytes.
#include "mapping/search/annealing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "mapping/search/axis_ledger.hpp"
#include "mapping/search/partner_sums.hpp"
#include "mapping/tools/lanes.hpp"

namespace tofa {
namespace {

// How often the clock is looked at and the temperature lowered, in moves.
constexpr std::uint64_t kStride = 2048;

constexpr std::uint64_t kBatch = 16;

// -ln(u) for evenly spread u: the number of temperatures by which a change may be uphill.
class Thresholds {
 public:
  static const Thresholds& table() {
    static const Thresholds thresholds;
    return thresholds;
  }
  float draw(RandomSource& random) const { return values_[random.next() >> 52U]; }

 private:
  Thresholds() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = static_cast<float>(
          -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(values_.size())));
    }
  }
  std::array<float, 4096> values_{};
};

// What an annealer may move: all ranks that talk, or those in a zone, to entries of that zone.
struct Zone {
  std::vector<Rank> ranks;
  const std::vector<std::uint8_t>* of_entry = nullptr;
  std::uint8_t mine = 0;
  Rank end = kNoRank;  // ranks from here on stay, whichever entry they are at

  bool stays(Rank rank) const { return rank != kNoRank && rank >= end; }
  bool everything() const { return of_entry == nullptr; }
  bool contains(std::uint32_t entry) const { return everything() || (*of_entry)[entry] == mine; }
  SearchSpace::Draw draw(const SearchSpace& space, const Seating& seating,
                         RandomSource& random) const {
    if (everything()) return space.draw(seating, random);
    const Rank rank = ranks[random.below(static_cast<std::uint32_t>(ranks.size()))];
    return {rank, space.draw_target(rank, seating, random)};
  }
};

// Judges moves by a ledger.
class LedgerSums {
 public:
  static constexpr bool kJudgesAtOnce = true;  // however many partners a rank has

  LedgerSums(const SearchSpace& space, const Seating& seating)
      : space_(space), ledger_(space, seating) {}

  std::int64_t change(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) const {
    std::int64_t delta = ledger_.change(rank, source, target);
    if (other != kNoRank) delta += ledger_.change(other, target, source);
    return delta;
  }
  // Either change counts the other rank as if it stayed, and so much nearer than it will be.
  std::int64_t correction(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) const {
    if (other == kNoRank) return 0;
    for (const auto& [partner, weight] : space_.partners(rank)) {
      if (partner == other)
        return 2 * std::int64_t{weight} * space_.axes()->distance(source, target);
    }
    return 0;
  }
  void exchange(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) {
    ledger_.move(rank, source, target);
    if (other != kNoRank) ledger_.move(other, target, source);
  }

 private:
  const SearchSpace& space_;
  AxisLedger ledger_;
};

template <typename Sums, bool kRisky>
class Annealer {
 public:
  Annealer(const SearchSpace& space, Sums&& sums, const Zone& zone, RandomSource random,
           Seating& seating)
      : space_(space), sums_(std::move(sums)), zone_(zone), random_(random), seating_(seating) {}

  bool run(const AnnealingSchedule& schedule) {
    const double cooling = std::log(schedule.end / schedule.start);
    if (!zone_.everything() && zone_.ranks.empty()) return true;
    risk_weight_ =
        static_cast<std::int64_t>(static_cast<double>(space_.risk_weight()) * schedule.risk);
    std::int64_t current = 0;
    std::int64_t best = 0;
    Seating best_seating = seating_;
    // A new best is copied at most once per so many moves as there are ranks: at every improvement
    // it would cost more than it gains.
    std::uint64_t moves_since_copy = 0;
    for (std::uint64_t done = 0; done < schedule.moves; done += kStride) {
      space_.task().trace.report_progress();
      if (space_.task().deadline.passed()) break;
      const double progress = static_cast<double>(done) / static_cast<double>(schedule.moves);
      const auto temperature = static_cast<float>(schedule.start * std::exp(cooling * progress));
      for (std::uint64_t batch = 0; batch < kStride / kBatch; ++batch)
        current += try_batch(temperature);
      moves_since_copy += kStride;
      if (current < best && moves_since_copy >= space_.task().graph.ranks()) {
        best = current;
        best_seating = seating_;
        moves_since_copy = 0;
      }
    }
    if (current <= best || schedule.goes_on) return true;
    seating_ = best_seating;
    return false;
  }

  Freezing measure(std::uint64_t moves) {
    constexpr unsigned steps = 40;
    constexpr double ratio = 0.82;  // of a temperature to the one before; 1 : 2300 in all
    const double hottest = mean_change();
    const std::uint64_t batches = std::max<std::uint64_t>(moves / steps / kBatch, 2);
    const std::uint64_t settling = batches / 2;
    std::vector<double> temperatures;
    std::vector<double> costs;
    std::int64_t current = 0;
    for (unsigned step = 0; step < steps; ++step) {
      if (space_.task().deadline.passed() && step >= 2) break;
      temperatures.push_back(hottest * std::pow(ratio, step));
      const auto temperature = static_cast<float>(temperatures.back());
      double sum = 0;
      for (std::uint64_t batch = 0; batch < batches; ++batch) {
        current += try_batch(temperature);
        if (batch >= settling) sum += static_cast<double>(current);
      }
      costs.push_back(sum / static_cast<double>(batches - settling));
    }
    return {std::move(temperatures), std::move(costs)};
  }

 private:
  // By how much a move changes the cost, up or down, of those that change it.
  double mean_change() {
    constexpr unsigned samples = 1024;
    double sum = 0;
    unsigned counted = 0;
    for (unsigned i = 0; i < samples; ++i) {
      const auto [rank, seat] = zone_.draw(space_, seating_, random_);
      const std::uint32_t source = seating_.entry(rank);
      const std::uint32_t target = space_.plan().entry_of(seat);
      if (source == target) continue;
      const Rank other = seating_.occupant(seat);
      const std::int64_t change =
          sums_.change(rank, other, source, target) + sums_.correction(rank, other, source, target);
      sum += std::abs(static_cast<double>(change));
      counted += change != 0 ? 1 : 0;
    }
    return counted > 0 ? sum / counted : 1;
  }

  // Draws depend on one load after the other, so several are drawn at once: the processor then
  // works on all of them. A move made in between may have led a partner away, which makes the next
  // draws a little less apt and nothing else.
  std::int64_t try_batch(float temperature) {
    std::array<SearchSpace::Draw, kBatch> draws;
    for (auto& draw : draws) draw = zone_.draw(space_, seating_, random_);
    std::int64_t delta = 0;
    for (const auto& draw : draws) delta += try_move(draw.rank, draw.target, temperature);
    return delta;
  }

  // Change of cost, answered as 0 when the move was not made.
  std::int64_t try_move(Rank rank, Seat target_seat, float temperature) {
    const Seat source_seat = seating_.seat(rank);
    const std::uint32_t target = space_.plan().entry_of(target_seat);
    const std::uint32_t source = space_.plan().entry_of(source_seat);
    if (source == target || !zone_.contains(target)) return 0;
    if constexpr (Sums::kJudgesAtOnce) {
      const SeatPlan& plan = space_.plan();
      if (plan.seats_of(target) >= kManySeats && !plan.selective())
        target_seat = choose_seat(target_seat, source, target);
    }
    const Rank other = seating_.occupant(target_seat);
    if (!space_.plan().allows(rank, target_seat) || !space_.plan().allows(other, source_seat))
      return 0;
    if (zone_.stays(other)) return 0;
    const auto limit = static_cast<std::int64_t>(temperature * thresholds_.draw(random_));
    std::int64_t delta = sums_.change(rank, other, source, target);
    if constexpr (kRisky) {
      delta += risk_weight_ * risk_change(rank, source, target, other);
      if (other != kNoRank) delta += risk_weight_ * risk_change(other, target, source, rank);
    }
    if (delta > limit) return 0;
    delta += sums_.correction(rank, other, source, target);
    if (delta > limit) return 0;
    seating_.swap_to(rank, target_seat);
    sums_.exchange(rank, other, source, target);
    return delta;
  }

  // Most of those who share a node had better stay: of a few who sit at the target, the one that
  // can go to `source` at the least cost.
  Seat choose_seat(Seat drawn, std::uint32_t source, std::uint32_t target) {
    const SeatPlan& plan = space_.plan();
    Seat best = drawn;
    std::int64_t least = cost_of_leaving(drawn, target, source);
    for (unsigned i = 1; i < kSeatsLookedAt; ++i) {
      const Seat seat = plan.first_seat(target) + random_.below(plan.seats_of(target));
      const std::int64_t cost = cost_of_leaving(seat, target, source);
      if (cost >= least) continue;
      least = cost;
      best = seat;
    }
    return best;
  }

  std::int64_t cost_of_leaving(Seat seat, std::uint32_t from, std::uint32_t to) const {
    const Rank rank = seating_.occupant(seat);
    return rank == kNoRank ? 0 : sums_.change(rank, kNoRank, from, to);
  }

  std::int64_t risk_change(Rank rank, std::uint32_t here, std::uint32_t there, Rank except) const {
    const PairCost& cost = space_.cost();
    std::int64_t change = std::int64_t{cost.risk_of(there)} - std::int64_t{cost.risk_of(here)};
    for (const auto& [partner, weight] : space_.partners(rank)) {
      if (partner == except) continue;
      const std::uint32_t entry = seating_.entry(partner);
      change += std::int64_t{cost.risk_between(there, entry)} -
                std::int64_t{cost.risk_between(here, entry)};
    }
    return change;
  }

  const SearchSpace& space_;
  Sums sums_;
  const Zone zone_;
  RandomSource random_;
  Seating& seating_;
  const Thresholds& thresholds_ = Thresholds::table();
  std::int64_t risk_weight_ = space_.risk_weight();
};

// Calls `run` with an annealer for this kind of cost.
template <typename Run>
auto with_annealer(const SearchSpace& space, const Zone& zone, RandomSource random,
                   Seating& seating, const Run& run) {
  const auto with = [&](auto&& sums) {
    using Sums = std::decay_t<decltype(sums)>;
    if (space.cost().risky()) {
      Annealer<Sums, true> annealer(space, std::forward<decltype(sums)>(sums), zone, random,
                                    seating);
      return run(annealer);
    }
    Annealer<Sums, false> annealer(space, std::forward<decltype(sums)>(sums), zone, random,
                                   seating);
    return run(annealer);
  };
  if (AxisLedger::serves(space.task()) && space.axes()) return with(LedgerSums(space, seating));
  return space.cost().with_costs([&](const auto& costs) {
    return with(PartnerSums<std::decay_t<decltype(costs)>>(space, costs, seating));
  });
}

bool anneal_zone(const SearchSpace& space, const AnnealingSchedule& schedule, const Zone& zone,
                 RandomSource random, Seating& seating) {
  if (space.plan().entries() < 2 || space.task().graph.ranks() == 0) return true;
  return with_annealer(space, zone, random, seating,
                       [&](auto& annealer) { return annealer.run(schedule); });
}

// The more often zones change, the less it matters where they were cut; setting up the tables of a
// phase takes as long as a few moves of each rank.
unsigned count_phases(const SearchSpace& space, std::uint64_t moves) {
  constexpr std::uint64_t moves_of_a_rank = 25;
  constexpr std::uint64_t fewest = 8;
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

}  // namespace

Freezing measure_freezing(const SearchSpace& space, std::uint64_t moves, RandomSource random,
                          Seating& seating) {
  if (space.plan().entries() < 2 || space.task().graph.ranks() == 0) return {{1, 1}, {0, 0}};
  return with_annealer(space, {}, random, seating,
                       [&](auto& annealer) { return annealer.measure(moves); });
}

bool anneal(const SearchSpace& space, const AnnealingSchedule& schedule, RandomSource random,
            Seating& seating) {
  return anneal_zone(space, schedule, {}, random, seating);
}

void anneal_in_zones(const SearchSpace& space, const AnnealingSchedule& schedule,
                     RandomSource random, Seating& seating) {
  const unsigned phases = count_phases(space, schedule.moves);
  const std::size_t entries = space.plan().entries();
  const double cooling = schedule.end / schedule.start;
  for (unsigned phase = 0; phase < phases && !space.task().deadline.passed(); ++phase) {
    const std::vector<std::uint8_t> zone_of = divide_in_zones(space, phase, random);
    std::array<std::vector<Rank>, kLanes> ranks;
    for (const Rank rank : space.active_ranks())
      ranks[zone_of[seating.entry(rank)]].push_back(rank);
    AnnealingSchedule part = schedule;
    part.start = schedule.start * std::pow(cooling, static_cast<double>(phase) / phases);
    part.end = schedule.start * std::pow(cooling, static_cast<double>(phase + 1) / phases);
    part.goes_on = phase + 1 < phases;
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
      anneal_zone(space, own, zone, randoms[lane], seatings[lane]);
    });
    // Everybody stayed in a zone, so the two arrangements fit together.
    for (std::size_t entry = 0; entry < entries; ++entry) {
      seating.copy_entry(static_cast<std::uint32_t>(entry), seatings[zone_of[entry]]);
    }
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
      with_annealer(space, zone, RandomSource(random.next()), hot,
                    [&](auto& annealer) { return annealer.measure(measuring); });
  anneal_zone(space, {moves - measuring, freezing.temperature(from), freezing.temperature(to)},
              zone, RandomSource(random.next()), seating);
}

}  // namespace tofa
