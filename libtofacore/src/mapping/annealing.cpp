// SPDX-License-Identifier: BSD-3-Clause
// The annealer: see annealing.hpp. Its inner loop is where placement spends its time, so it is
// compiled for each kind of cost, adds up whole numbers, and keeps what it reads in few bytes.
#include "mapping/annealing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "mapping/lanes.hpp"

namespace tofa {
namespace {

// How often the clock is looked at and the temperature lowered, in moves.
constexpr std::uint64_t kStride = 2048;

// -ln(u) for evenly spread u: the number of temperatures by which a change may be uphill.
class Thresholds {
 public:
  Thresholds() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = static_cast<float>(
          -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(values_.size())));
    }
  }
  float draw(RandomSource& random) const { return values_[random.next() >> 52U]; }

 private:
  std::array<float, 4096> values_{};
};

// How far an anneal has come, from 0 to 1: by moves, and only faster when it would be late.
class Pace {
 public:
  explicit Pace(const AnnealingSchedule& schedule) : schedule_(schedule) {}

  double progress() const { return progress_; }
  bool done() const { return progress_ >= 1; }

  void advance(std::uint64_t moves) {
    done_ += static_cast<double>(moves);
    const double step = static_cast<double>(moves) / static_cast<double>(schedule_.moves);
    progress_ += step * haste();
  }

 private:
  // How many times as fast as planned it has to go on to end in time.
  double haste() const {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const double left = schedule_.seconds - elapsed;
    if (left <= 0) return static_cast<double>(schedule_.moves);
    const double needed = (1 - progress_) * static_cast<double>(schedule_.moves) * elapsed / done_;
    return std::max(1.0, needed / left);
  }

  using Clock = std::chrono::steady_clock;
  const AnnealingSchedule& schedule_;
  const Clock::time_point start_ = Clock::now();
  double done_ = 0;
  double progress_ = 0;
};

// What an annealer may move: all ranks that talk, or those in a zone, to places in that zone.
struct Zone {
  const std::vector<Rank>& talkers;
  const std::vector<std::uint8_t>* of_place = nullptr;  // all places where there is none
  std::uint8_t mine = 0;

  bool contains(std::uint32_t place) const {
    return of_place == nullptr || (*of_place)[place] == mine;
  }
};

template <typename Costs, bool kRisky>
class Annealer {
 public:
  Annealer(const SearchSpace& space, const Costs& costs, const Zone& zone, RandomSource random,
           Seating& seating)
      : space_(space), costs_(costs), zone_(zone), random_(random), seating_(seating) {
    const SeatPlan& plan = space.plan();
    key_at_.reserve(plan.seats());
    for (Seat seat = 0; seat < plan.seats(); ++seat) {
      key_at_.push_back(costs.key(plan.place_of(seat)));
    }
    const Rank ranks = space.task().graph.ranks();
    key_of_.reserve(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) key_of_.push_back(key_at_[seating.seat(rank)]);
  }

  bool run(const AnnealingSchedule& schedule) {
    const double unit = space_.typical_weight();
    const double cooling = std::log(schedule.end / schedule.start);
    Pace pace(schedule);
    if (zone_.talkers.empty()) return true;
    risk_weight_ =
        static_cast<std::int64_t>(static_cast<double>(space_.risk_weight()) * schedule.risk);
    std::int64_t current = 0;
    std::int64_t best = 0;
    Seating best_seating = seating_;
    // A new best is copied at most once per so many moves as there are ranks: at every improvement
    // it would cost more than it gains.
    std::uint64_t moves_since_copy = 0;
    while (!pace.done() && !space_.task().deadline.passed()) {
      const auto temperature =
          static_cast<float>(unit * schedule.start * std::exp(cooling * pace.progress()));
      for (std::uint64_t move = 0; move < kStride; ++move) current += try_move(temperature);
      pace.advance(kStride);
      moves_since_copy += kStride;
      if (current < best && moves_since_copy >= key_of_.size()) {
        best = current;
        best_seating = seating_;
        moves_since_copy = 0;
      }
    }
    if (current <= best) return true;
    seating_ = best_seating;
    return false;
  }

 private:
  // Change of cost, answered as 0 when the move was not made.
  std::int64_t try_move(float temperature) {
    const auto& talkers = zone_.talkers;
    const Rank rank = talkers[random_.below(static_cast<std::uint32_t>(talkers.size()))];
    const Seat target = space_.draw_target(rank, seating_, random_);
    const Seat source = seating_.seat(rank);
    if (key_at_[target] == key_at_[source]) return 0;
    if (!zone_.contains(space_.plan().place_of(target))) return 0;
    const Rank other = seating_.occupant(target);
    if (!space_.plan().allows(rank, target) || !space_.plan().allows(other, source)) return 0;
    std::int64_t delta = change(rank, source, target, other);
    if (other != kNoRank) delta += change(other, target, source, rank);
    if (delta > 0 && static_cast<float>(delta) >= temperature * thresholds_.draw(random_)) return 0;
    seating_.swap_to(rank, target);
    key_of_[rank] = key_at_[target];
    if (other != kNoRank) key_of_[other] = key_at_[source];
    return delta;
  }

  // What it changes that `rank` goes from seat `from` to seat `to`, while `except`, with whom it
  // changes places and stays equally far, is left out.
  std::int64_t change(Rank rank, Seat from, Seat to, Rank except) const {
    const auto here = costs_.row(key_at_[from]);
    const auto there = costs_.row(key_at_[to]);
    std::int64_t delta = 0;
    for (const auto& [partner, weight] : space_.talks(rank)) {
      if (partner == except) continue;
      const std::int32_t key = key_of_[partner];
      delta += std::int64_t{weight} * (static_cast<std::int32_t>(Costs::at(there, key)) -
                                       static_cast<std::int32_t>(Costs::at(here, key)));
    }
    if constexpr (kRisky) delta += risk_weight_ * risk_change(rank, from, to, except);
    return delta;
  }

  std::int64_t risk_change(Rank rank, Seat from, Seat to, Rank except) const {
    const PairCost& cost = space_.cost();
    const std::uint32_t here = space_.plan().place_of(from);
    const std::uint32_t there = space_.plan().place_of(to);
    std::int64_t change = std::int64_t{cost.suspect(there)} - std::int64_t{cost.suspect(here)};
    for (const auto& [partner, weight] : space_.talks(rank)) {
      if (partner == except) continue;
      const std::uint32_t place = seating_.place(partner);
      change += std::int64_t{cost.faulty_links(there, place)} -
                std::int64_t{cost.faulty_links(here, place)};
    }
    return change;
  }

  const SearchSpace& space_;
  const Costs costs_;
  const Zone zone_;
  RandomSource random_;
  Seating& seating_;
  Thresholds thresholds_;
  std::int64_t risk_weight_ = 0;
  std::vector<std::int32_t> key_at_;  // by seat
  std::vector<std::int32_t> key_of_;  // by rank
};

bool anneal_zone(const SearchSpace& space, const AnnealingSchedule& schedule, const Zone& zone,
                 RandomSource random, Seating& seating) {
  if (space.plan().places() < 2 || space.task().graph.ranks() == 0) return true;
  return space.cost().with_costs([&](const auto& costs) {
    using Costs = std::decay_t<decltype(costs)>;
    if (space.cost().risky()) {
      return Annealer<Costs, true>(space, costs, zone, random, seating).run(schedule);
    }
    return Annealer<Costs, false>(space, costs, zone, random, seating).run(schedule);
  });
}

}  // namespace

bool anneal(const SearchSpace& space, const AnnealingSchedule& schedule, RandomSource random,
            Seating& seating) {
  return anneal_zone(space, schedule, {space.talkers()}, random, seating);
}

void anneal_in_zones(const SearchSpace& space, const AnnealingSchedule& schedule,
                     RandomSource random, Seating& seating) {
  constexpr unsigned phases = 8;
  const std::size_t places = space.plan().places();
  std::vector<std::uint8_t> zone_of(places);
  for (unsigned phase = 0; phase < phases && !space.task().deadline.passed(); ++phase) {
    // Zones are runs of the allocation, since node lists follow the machine.
    const std::size_t shift = places * phase * 3 / phases;
    for (std::size_t place = 0; place < places; ++place) {
      zone_of[place] = (place + shift) % places < places / 2 ? 0 : 1;
    }
    std::array<std::vector<Rank>, kLanes> talkers;
    for (const Rank rank : space.talkers()) talkers[zone_of[seating.place(rank)]].push_back(rank);
    AnnealingSchedule part = schedule;
    part.moves = std::max<std::uint64_t>(schedule.moves / phases, 1);
    part.seconds = schedule.seconds / phases;
    const double cooling = schedule.end / schedule.start;
    part.start = schedule.start * std::pow(cooling, static_cast<double>(phase) / phases);
    part.end = schedule.start * std::pow(cooling, static_cast<double>(phase + 1) / phases);
    std::array<Seating, kLanes> seatings = {seating, seating};
    const std::array<RandomSource, kLanes> randoms = {RandomSource(random.next()),
                                                      RandomSource(random.next())};
    run_lanes([&](unsigned lane) {
      const Zone zone{talkers[lane], &zone_of, static_cast<std::uint8_t>(lane)};
      anneal_zone(space, part, zone, randoms[lane], seatings[lane]);
    });
    // Everybody stayed in a zone, so the two arrangements fit together.
    for (std::size_t place = 0; place < places; ++place) {
      seating.copy_place(static_cast<std::uint32_t>(place), seatings[zone_of[place]]);
    }
  }
}

}  // namespace tofa
