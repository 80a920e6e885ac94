// SPDX-License-Identifier: BSD-3-Clause
// Keeping what everybody would pay everywhere: see heat_bath.hpp.
#include "mapping/search/heat_bath.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "mapping/rates.hpp"
#include "mapping/search/move_cost.hpp"
#include "mapping/search/seat_scan.hpp"

namespace tofa {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// Measured up to half as many, and worth it there. (Where very many share a node it is not: what is
// left to mend there, single moves find.)
constexpr std::uint32_t kMostColumns = 32768;

// With longer dimensions, telling partners of a move takes longer than finding moves one by one.
constexpr std::size_t kMostRows = 512;

// Of looks, how many end with an exchange: 0.15 to 0.85, more of them where the machine is large or
// flat. What each of them took would tell what work is done, but where work is shared out by that,
// less is left for what is hot, and arrangements end up to 5 % higher.
constexpr double kExchanges = 0.4;

// A seat where so much is paid is never taken.
constexpr std::int32_t kOfAHole = std::int32_t{1} << 30U;

class Noise {
 public:
  static constexpr std::uint32_t kShifts = 8192;
  static const Noise& table() {
    static const Noise noise;
    return noise;
  }
  // For all columns, different ones for each of kShifts.
  const float* from(std::uint32_t shift) const { return &values_[shift]; }

 private:
  Noise() : values_(kShifts + kMostColumns) {
    RandomSource random(1);
    for (float& value : values_) {
      value = static_cast<float>(-std::log(-std::log(std::max(random.unit(), 0x1.0p-53))));
    }
  }
  std::vector<float> values_;
};

}  // namespace

std::optional<SeatBox> HeatBath::find_box(const SearchSpace& space, const Zone& zone) {
  const bool all_alike = !space.cost().risky() && !space.plan().selective();
  const bool few_share = space.plan().seats() < kVeryManySeats * space.plan().entries();
  const bool serves = space.axes() && space.axes()->width() <= kMostRows &&
                      space.cost().grid() != nullptr && all_alike && few_share &&
                      zone.end == kNoRank && space.plan().seats() <= kMostColumns;
  return serves ? SeatBox::around(space, zone, kMostColumns) : std::nullopt;
}

HeatBath::HeatBath(const SearchSpace& space, const Zone& zone, SeatBox&& box, RandomSource random,
                   Seating& seating)
    : space_(space),
      apart_(space.cost().grid()->middle()),
      box_(std::move(box)),
      random_(random),
      seating_(seating),
      column_of_(space.task().graph.ranks(), kNowhere),
      cost_(box_.rows(), box_.columns()),
      own_(box_.columns(), 0),
      room_(2 * (std::size_t{box_.inner()} + box_.outer() + 2 * SeatScan::kBeyond), 0),
      scan_{.inner = box_.inner(),
            .outer = box_.outer(),
            .columns = box_.columns(),
            .dimensions = box_.dimensions(),
            .inner_dimensions = box_.inner_dimensions(),
            .begin = box_.begins(),
            .pays = nullptr,
            .most = 0,
            .own = own_.data(),
            .row = {},
            .noise = nullptr,
            .temperature = 0,
            .room = room_.data()} {
  seat_ranks(zone);
  std::size_t most = 0;
  for (const Rank rank : ranks_) most = std::max(most, space_.partners(rank).size());
  touched_.resize(2 * most + 1);
  const double partners = space.partners_of_a_draw();
  const double seconds_of_exchange =
      (rates::kExchangePerRow + rates::kExchangePerPartner * partners) * box_.rows();
  const double seconds =
      rates::kScan + rates::kScanPerSeat * box_.columns() + kExchanges * seconds_of_exchange;
  moves_of_a_step_ = static_cast<std::uint64_t>(
      std::max(1.0, seconds / seconds_per_move(space.task(), partners, false)));
}

void HeatBath::seat_ranks(const Zone& zone) {
  const GridAxes& axes = *space_.axes();
  std::vector<HopsFrom> traffic;
  for (std::uint32_t column = 0; column < box_.columns(); ++column) {
    if (box_.seat(column) == SeatBox::kHole) {
      own_[column] = -kOfAHole;
      continue;
    }
    const Rank rank = seating_.occupant(box_.seat(column));
    if (rank == kNoRank) continue;
    column_of_[rank] = column;
    traffic.clear();
    for (const auto& [partner, weight] : space_.partners(rank)) {
      const std::uint16_t* there = axes.at(seating_.entry(partner));
      for (std::size_t d = 0; d < box_.dimensions(); ++d) {
        traffic.push_back({box_.begin(d), box_.begin(d + 1), weight, box_.hops_from(there[d])});
      }
    }
    cost_.set_column(column, traffic);
    own_[column] = cost_at(column, box_.rows_at(column));
  }
  ranks_ = zone.that_move(space_);
}

std::int32_t HeatBath::cost_at(std::uint32_t column, const std::uint16_t* rows) const {
  const std::int32_t* pays = cost_.column(column);
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < box_.dimensions(); ++d) sum += pays[rows[d]];
  return sum;
}

// Appends the partners within the box to those that are touched.
void HeatBath::touch_partners(Rank rank, std::int32_t sign) {
  Touched* next = touched_.data() + touched_count_;
  for (const auto& [partner, weight] : space_.partners(rank)) {
    *next = {column_of_[partner], sign * weight};
    next += next->column != kNowhere ? 1 : 0;
  }
  touched_count_ = static_cast<std::size_t>(next - touched_.data());
}

// One after the other, in another order every time. Of ranks that are drawn, some would not be
// looked at for long, and others twice.
Rank HeatBath::next_rank() {
  if (next_ == ranks_.size()) next_ = 0;
  const auto rest = static_cast<std::uint32_t>(ranks_.size() - next_);
  std::swap(ranks_[next_], ranks_[next_ + random_.below(rest)]);
  return ranks_[next_++];
}

[[gnu::flatten]] std::int64_t HeatBath::step(float temperature) {
  const Rank rank = next_rank();
  const std::uint32_t from = column_of_[rank];
  // Who exchanges seats with a partner stays as far from it, where either alone would come nearer.
  const std::uint8_t* apart = apart_ + box_.key(from);
  Touched* next = touched_.data();
  for (const auto& [partner, weight] : space_.partners(rank)) {
    const std::uint32_t column = column_of_[partner];
    if (column == kNowhere) continue;
    *next = {column, 2 * weight * apart[-box_.key(column)]};
    own_[column] -= next->weight;
    ++next;
  }
  touched_count_ = static_cast<std::size_t>(next - touched_.data());
  const std::uint32_t to = choose(from, temperature);
  for (const auto& [column, weight] : touched()) own_[column] += weight;
  if (box_.position(to) == box_.position(from) || box_.seat(to) == SeatBox::kHole) return 0;
  const Rank other = seating_.occupant(box_.seat(to));
  const std::int64_t delta = change(from, to, rank, other);
  exchange(from, to, rank, other);
  return delta;
}

std::uint32_t HeatBath::choose(std::uint32_t column, float temperature) {
  // Where it would pay so many temperatures more than here, a rank hardly ever goes.
  constexpr float too_much = 4;
  constexpr float largest = 0x1.0p29F;
  const auto margin = static_cast<std::int32_t>(std::min(largest, too_much * temperature));
  scan_.pays = cost_.column(column);
  scan_.most = own_[column] + margin;
  scan_.noise = Noise::table().from(random_.below(Noise::kShifts));
  scan_.temperature = temperature;
  for (std::size_t d = 0; d < box_.dimensions(); ++d) {
    scan_.row[d] = cost_.row(box_.rows_at(column)[d]);
  }
  return find_cheapest(scan_);
}

// What it changes that a rank and who sits in another column, if anybody does, exchange seats.
std::int64_t HeatBath::change(std::uint32_t a, std::uint32_t b, Rank rank, Rank other) const {
  std::int64_t delta = std::int64_t{cost_at(a, box_.rows_at(b))} - own_[a];
  if (other == kNoRank) return delta;
  delta += std::int64_t{cost_at(b, box_.rows_at(a))} - own_[b];
  for (const auto& [partner, weight] : space_.partners(rank)) {
    if (partner == other)
      return delta + 2 * std::int64_t{weight} * apart_[box_.key(a) - box_.key(b)];
  }
  return delta;
}

void HeatBath::exchange(std::uint32_t a, std::uint32_t b, Rank rank, Rank other) {
  seating_.swap_to(rank, box_.seat(b));
  column_of_[rank] = b;
  if (other != kNoRank) column_of_[other] = a;
  cost_.swap_columns(a, b);
  // The one goes as far as the other comes back.
  touched_count_ = 0;
  touch_partners(rank, 1);
  if (other != kNoRank) touch_partners(other, -1);
  const std::uint16_t* here = box_.rows_at(a);
  const std::uint16_t* there = box_.rows_at(b);
  for (std::size_t d = 0; d < box_.dimensions(); ++d) {
    if (here[d] == there[d]) continue;
    cost_.shift({box_.begin(d), box_.begin(d + 1), box_.hops(here[d]), box_.hops(there[d])},
                touched());
  }
  const std::uint8_t* before = apart_ + box_.key(a);
  const std::uint8_t* after = apart_ + box_.key(b);
  for (const auto& [column, weight] : touched()) {
    const std::int32_t key = box_.key(column);
    own_[column] += weight * (std::int32_t{after[-key]} - std::int32_t{before[-key]});
  }
  own_[a] = cost_at(a, here);
  own_[b] = cost_at(b, there);
}

std::optional<std::int64_t> HeatBath::draw_change(Reach reach) {
  const Rank rank = next_rank();
  const Seat seat = reach == Reach::near ? space_.draw_target(rank, seating_, random_)
                                         : box_.seat(random_.below(box_.columns()));
  const Rank other = seat == SeatBox::kHole ? kNoRank : seating_.occupant(seat);
  if (other == kNoRank || column_of_[other] == kNowhere) return std::nullopt;
  const std::uint32_t from = column_of_[rank];
  const std::uint32_t to = column_of_[other];
  if (box_.position(to) == box_.position(from)) return std::nullopt;
  return change(from, to, rank, other);
}

}  // namespace tofa
