// SPDX-License-Identifier: BSD-3-Clause
// The annealer: see annealing.hpp. Its inner loop is where placement spends its time, so it is
// compiled for each kind of cost, adds up whole numbers, and keeps what it reads in few bytes.
#include "mapping/annealing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "mapping/axis_ledger.hpp"
#include "mapping/lanes.hpp"

namespace tofa {
namespace {

// How often the clock is looked at and the temperature lowered, in moves.
constexpr std::uint64_t kStride = 2048;

constexpr std::uint64_t kBatch = 16;

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
  std::vector<Rank> talkers;
  const std::vector<std::uint8_t>* of_place = nullptr;
  std::uint8_t mine = 0;

  bool everything() const { return of_place == nullptr; }
  bool contains(std::uint32_t place) const { return everything() || (*of_place)[place] == mine; }
  SearchSpace::Draw draw(const SearchSpace& space, const Seating& seating,
                         RandomSource& random) const {
    if (everything()) return space.draw(seating, random);
    const Rank rank = talkers[random.below(static_cast<std::uint32_t>(talkers.size()))];
    return {rank, space.draw_target(rank, seating, random)};
  }
};

// Judges moves by adding up over the partners of a rank.
template <typename Costs>
class PartnerSums {
 public:
  PartnerSums(const SearchSpace& space, const Costs& costs, const Seating& seating)
      : space_(space), costs_(costs) {
    const Rank ranks = space.task().graph.ranks();
    key_of_.reserve(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) key_of_.push_back(costs.key(seating.place(rank)));
  }

  // Change of cost when two ranks exchange their places, the second of which may be kNoRank; the
  // true change is larger by correction().
  std::int64_t change(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) const {
    std::int64_t delta = change_of_one(rank, source, target, other);
    if (other != kNoRank) delta += change_of_one(other, target, source, rank);
    return delta;
  }
  static std::int64_t correction(Rank, Rank, std::uint32_t, std::uint32_t) { return 0; }

  void exchange(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) {
    key_of_[rank] = costs_.key(target);
    if (other != kNoRank) key_of_[other] = costs_.key(source);
  }

 private:
  // `except`, with whom the rank changes places and stays equally far, is left out.
  std::int64_t change_of_one(Rank rank, std::uint32_t from, std::uint32_t to, Rank except) const {
    const auto here = costs_.row(costs_.key(from));
    const auto there = costs_.row(costs_.key(to));
    std::int64_t delta = 0;
    for (const auto& [partner, weight] : space_.talks(rank)) {
      if (partner == except) continue;
      const std::int32_t key = key_of_[partner];
      delta += std::int64_t{weight} * (static_cast<std::int32_t>(Costs::at(there, key)) -
                                       static_cast<std::int32_t>(Costs::at(here, key)));
    }
    return delta;
  }

  const SearchSpace& space_;
  const Costs costs_;
  std::vector<std::int32_t> key_of_;  // by rank
};

// Judges moves by a ledger.
class LedgerSums {
 public:
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
    for (const auto& [partner, weight] : space_.talks(rank)) {
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
    const double unit = space_.typical_weight();
    const double cooling = std::log(schedule.end / schedule.start);
    Pace pace(schedule);
    if (!zone_.everything() && zone_.talkers.empty()) return true;
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
      for (std::uint64_t batch = 0; batch < kStride / kBatch; ++batch)
        current += try_batch(temperature);
      pace.advance(kStride);
      moves_since_copy += kStride;
      if (current < best && moves_since_copy >= space_.task().graph.ranks()) {
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
    const std::uint32_t target = space_.plan().place_of(target_seat);
    const std::uint32_t source = space_.plan().place_of(source_seat);
    if (source == target || !zone_.contains(target)) return 0;
    const Rank other = seating_.occupant(target_seat);
    if (!space_.plan().allows(rank, target_seat) || !space_.plan().allows(other, source_seat))
      return 0;
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

  std::int64_t risk_change(Rank rank, std::uint32_t here, std::uint32_t there, Rank except) const {
    const PairCost& cost = space_.cost();
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
  Sums sums_;
  const Zone zone_;
  RandomSource random_;
  Seating& seating_;
  Thresholds thresholds_;
  std::int64_t risk_weight_ = 0;
};

bool anneal_zone(const SearchSpace& space, const AnnealingSchedule& schedule, const Zone& zone,
                 RandomSource random, Seating& seating) {
  if (space.plan().places() < 2 || space.task().graph.ranks() == 0) return true;
  const auto run = [&](auto&& sums) {
    using Sums = std::decay_t<decltype(sums)>;
    if (space.cost().risky()) {
      return Annealer<Sums, true>(space, std::forward<decltype(sums)>(sums), zone, random, seating)
          .run(schedule);
    }
    return Annealer<Sums, false>(space, std::forward<decltype(sums)>(sums), zone, random, seating)
        .run(schedule);
  };
  if (AxisLedger::serves(space.task()) && space.axes()) return run(LedgerSums(space, seating));
  return space.cost().with_costs([&](const auto& costs) {
    return run(PartnerSums<std::decay_t<decltype(costs)>>(space, costs, seating));
  });
}

}  // namespace

bool anneal(const SearchSpace& space, const AnnealingSchedule& schedule, RandomSource random,
            Seating& seating) {
  return anneal_zone(space, schedule, {}, random, seating);
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
      const Zone zone{std::move(talkers[lane]), &zone_of, static_cast<std::uint8_t>(lane)};
      anneal_zone(space, part, zone, randoms[lane], seatings[lane]);
    });
    // Everybody stayed in a zone, so the two arrangements fit together.
    for (std::size_t place = 0; place < places; ++place) {
      seating.copy_place(static_cast<std::uint32_t>(place), seatings[zone_of[place]]);
    }
  }
}

}  // namespace tofa
