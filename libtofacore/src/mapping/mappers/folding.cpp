// SPDX-License-Identifier: BSD-3-Clause
// Plans of folds, and the best of them: see folding.hpp.
#include "mapping/mappers/folding.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "mapping/rates.hpp"
#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

constexpr std::size_t kSample = 128;    // ranks or positions
constexpr std::size_t kPartners = 32;   // of a rank, which stand for all where there are more:
constexpr std::size_t kHeaviest = 24;   // so many for themselves, the rest for all others
constexpr unsigned kPleat = 2;          // positions deep
constexpr std::size_t kMostEqual = 12;  // plans that are kept
// Guests of many dimensions have more ways that lead nowhere than plans.
constexpr std::size_t kStepsPerPlan = 100;

unsigned reflect(unsigned value, unsigned radix, unsigned carry) {
  return carry % 2 == 0 ? value : radix - 1 - value;
}

}  // namespace

std::vector<GuestPair> sample_pairs(const CommGraph& graph, const GuestGrid& guest) {
  std::vector<GuestPair> sample;
  std::vector<CommEdge> partners;
  RandomSource random(1);
  const auto add = [&](Rank rank, const CommEdge& edge, double times) {
    const auto& [partner, bytes, sent] = edge;
    if (guest.positions[rank] == guest.positions[partner]) return;
    sample.push_back(
        {guest.positions[rank], guest.positions[partner], times * static_cast<double>(bytes)});
  };
  const bool all = graph.ranks() <= kSample;
  for (std::size_t i = 0; i < std::min<std::size_t>(kSample, graph.ranks()); ++i) {
    const Rank rank = all ? static_cast<Rank>(i) : random.below(graph.ranks());
    partners.assign(graph.partners(rank).begin(), graph.partners(rank).end());
    const std::size_t heaviest = partners.size() <= kPartners ? partners.size() : kHeaviest;
    if (heaviest < partners.size()) {
      std::nth_element(partners.begin(), partners.begin() + kHeaviest, partners.end(),
                       [](const CommEdge& a, const CommEdge& b) { return a.bytes > b.bytes; });
    }
    for (std::size_t k = 0; k < heaviest; ++k) add(rank, partners[k], 1);
    const auto others = static_cast<std::uint32_t>(partners.size() - heaviest);
    constexpr std::size_t looks = kPartners - kHeaviest;
    for (std::size_t k = 0; k < looks && others > 0; ++k) {
      add(rank, partners[heaviest + random.below(others)],
          static_cast<double>(others) / static_cast<double>(looks));
    }
  }
  return sample;
}

std::vector<GuestPair> sample_neighbours(const GuestGrid& guest) {
  const auto count = static_cast<std::uint32_t>(guest.positions.size());
  RandomSource random(1);
  std::vector<GuestPair> pairs;
  for (std::size_t i = 0; i < std::min<std::size_t>(kSample, count); ++i) {
    const std::uint32_t at = count <= kSample ? static_cast<std::uint32_t>(i) : random.below(count);
    std::uint32_t step = 1;
    for (std::size_t d = 0; d < guest.shape.size(); ++d) {
      const unsigned last = guest.shape[d] - 1;
      const unsigned x = at / step % guest.shape[d];
      if (x < last) pairs.push_back({at, at + step, 1});
      if (x == last && last > 1 && guest.wraps[d] != 0) pairs.push_back({at, at - last * step, 1});
      step *= guest.shape[d];
    }
  }
  return pairs;
}

Folder::Folder(const HostBox& box, const GuestGrid& guest, unsigned slots,
               std::vector<GuestPair> sample, double seconds, Pleats pleats)
    : box_(box),
      guest_(guest),
      slots_(slots),
      pleats_(pleats),
      sample_(std::move(sample)),
      coordinates_(guest.shape.size()),
      digits_(guest.shape.size()),
      places_(find_places()) {
  // With several positions on a node pairs may be closer than one hop.
  if (slots == 1) {
    for (const GuestPair& pair : sample_) least_cost_ += pair.bytes;
  }
  // A small share of the time, at what looking at a pair takes.
  const double affordable =
      0.1 * seconds /
      (rates::kFoldPerPair * std::max<double>(static_cast<double>(sample_.size()), 1));
  plans_ = static_cast<std::size_t>(std::clamp(affordable, 50.0, 3000.0));
}

// Many positions of a sample have a coordinate in common.
std::vector<Folder::Place> Folder::find_places() {
  std::vector<Place> places(2 * sample_.size());
  std::uint32_t step = 1;
  for (std::size_t d = 0; d < guest_.shape.size(); ++d) {
    const auto coordinate = [&](std::uint32_t at) { return at / step % guest_.shape[d]; };
    std::vector<unsigned>& known = coordinates_[d];
    for (const GuestPair& pair : sample_) {
      known.push_back(coordinate(pair.a));
      known.push_back(coordinate(pair.b));
    }
    const std::vector<unsigned> all = known;
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto it = std::lower_bound(known.begin(), known.end(), all[i]);
      places[i][d] = static_cast<std::uint32_t>(it - known.begin());
    }
    digits_[d].resize(known.size());
    step *= guest_.shape[d];
  }
  return places;
}

double Folder::search() {
  FoldPlan plan;
  plan.order.resize(guest_.shape.size());
  std::iota(plan.order.begin(), plan.order.end(), std::size_t{0});
  do {
    plan.digits.assign(guest_.shape.size(), {});
    plan.interleaved.assign(guest_.shape.size(), false);
    std::vector<unsigned> room;
    for (std::size_t d = 0; d + 1 < box_.dimensions(); ++d) room.push_back(box_.extent(d));
    room.push_back(slots_);
    hand_out(plan, room, 0, 0);
  } while (!enough() && std::next_permutation(plan.order.begin(), plan.order.end()));
  return best_cost_;
}

std::vector<Cell> Folder::cells() const {
  std::vector<Cell> best = first_cells();
  std::size_t fewest = best_.size() > 1 ? box_.fewest_misses(best) : 0;
  for (std::size_t i = 1; i < best_.size() && fewest > 0; ++i) {
    std::vector<Cell> other = cells(best_[i]);
    const std::size_t misses = box_.fewest_misses(other);
    if (misses >= fewest) continue;
    fewest = misses;
    best = std::move(other);
  }
  return best;
}

std::vector<Cell> Folder::cells(const FoldPlan& plan) const {
  const std::vector<Step> way = steps(plan);
  std::vector<Digits> all(guest_.shape.size());
  std::vector<Cell> result;
  result.reserve(guest_.positions.size());
  for (const std::uint32_t position : guest_.positions) {
    std::uint32_t rest = position;
    for (std::size_t d = 0; d < all.size(); ++d) {
      all[d] = digits(plan, d, rest % guest_.shape[d]);
      rest /= guest_.shape[d];
    }
    result.push_back(cell(way, [&](const Step& step) { return all[step.guest][step.index]; }));
  }
  return result;
}

// Where the box has gaps, equally good plans are worth more than the first of them.
bool Folder::enough() const {
  return tried_ >= plans_ || steps_ >= kStepsPerPlan * plans_ ||
         (best_cost_ <= least_cost_ && (box_.full() || best_.size() >= kMostEqual));
}

// Chooses the digits of the guest dimensions from the `next`-th in order on, of which the extent
// `rest` (0: all) is still to be placed.
void Folder::hand_out(FoldPlan& plan, std::vector<unsigned>& room, std::size_t next,
                      unsigned rest) {
  if (enough()) return;
  ++steps_;
  if (next == plan.order.size()) return judge(plan);
  const std::size_t guest = plan.order[next];
  if (rest == 0) rest = guest_.shape[guest];
  if (rest == 1) return hand_out(plan, room, next + 1, 0);
  for (std::size_t host = 0; host < room.size(); ++host) {
    const unsigned most = std::min(rest, room[host]);
    if (most < 2) continue;
    // As much as fits, and as much as leaves no part of a fold empty.
    const unsigned folds = (rest + most - 1) / most;
    const unsigned balanced = (rest + folds - 1) / folds;
    lay(plan, room, next, {host, balanced}, folds);
    if (most != balanced) lay(plan, room, next, {host, most}, folds);
    if (may_pleat(plan.digits[guest], rest, room[host]) && balanced != kPleat && most != kPleat) {
      lay(plan, room, next, {host, kPleat}, rest / kPleat);
    }
  }
}

bool Folder::may_pleat(const std::vector<Digit>& digits, unsigned rest, unsigned room) const {
  return pleats_ == Pleats::yes && digits.empty() && rest % kPleat == 0 && room % kPleat == 0;
}

// Gives the guest dimension that is the `next` in order another digit, and what is left, in so many
// folds of it, some of the others.
void Folder::lay(FoldPlan& plan, std::vector<unsigned>& room, std::size_t next, const Digit& digit,
                 unsigned folds) {
  const std::size_t guest = plan.order[next];
  unsigned& space = room[digit.host];
  const unsigned before = space;
  plan.digits[guest].push_back(digit);
  space /= digit.radix;
  hand_out(plan, room, folds == 1 ? next + 1 : next, folds == 1 ? 0 : folds);
  space = before;
  plan.digits[guest].pop_back();
}

void Folder::judge(FoldPlan& plan) {
  // Rings are tried both as they are and laid flat, all of them alike.
  for (const bool flat : {false, true}) {
    if (flat && std::none_of(guest_.wraps.begin(), guest_.wraps.end(), std::identity())) break;
    for (std::size_t d = 0; d < guest_.wraps.size(); ++d) {
      plan.interleaved[d] = flat && guest_.wraps[d];
    }
    ++tried_;
    const double found = cost(plan);
    if (found < best_cost_) best_.clear();
    if (found < best_cost_ || (found == best_cost_ && !box_.full() && best_.size() < kMostEqual)) {
      best_cost_ = found;
      best_.push_back(plan);
    }
  }
}

// By the sample; infinite where it is dearer than the best.
double Folder::cost(const FoldPlan& plan) {
  for (std::size_t d = 0; d < guest_.shape.size(); ++d) {
    for (std::size_t i = 0; i < coordinates_[d].size(); ++i)
      digits_[d][i] = digits(plan, d, coordinates_[d][i]);
  }
  const std::vector<Step> way = steps(plan);
  const auto cell_of = [&](const Place& place) {
    return cell(
        way, [&](const Step& step) { return digits_[step.guest][place[step.guest]][step.index]; });
  };
  // What the pairs that are left cost at least; rounding is not to make two plans differ.
  constexpr double rounding = 1e-9;
  double rest = (1 - rounding) * least_cost_;
  const double of_one = least_cost_ > 0 ? 1 - rounding : 0;
  double cost = 0;
  for (std::size_t i = 0; i < sample_.size(); ++i) {
    if (cost + rest > best_cost_) return HUGE_VAL;
    const double bytes = sample_[i].bytes;
    cost += bytes * box_.hops(cell_of(places_[2 * i]), cell_of(places_[2 * i + 1]));
    rest -= of_one * bytes;
  }
  return cost;
}

Folder::Digits Folder::digits(const FoldPlan& plan, std::size_t guest, unsigned coordinate) const {
  unsigned value = coordinate;
  if (plan.interleaved[guest]) {
    const unsigned extent = guest_.shape[guest];
    value = value < (extent + 1) / 2 ? 2 * value : 2 * (extent - value) - 1;
  }
  Digits result{};
  const auto& digits = plan.digits[guest];
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const unsigned radix = digits[k].radix;
    const unsigned carry = value / radix;
    result[k] = reflect(value % radix, radix, carry);
    value = carry;
  }
  return result;
}

// From the slowest digits to the fastest, so that each knows the carry it turns round at.
std::vector<Folder::Step> Folder::steps(const FoldPlan& plan) const {
  std::vector<Step> steps;
  for (std::size_t i = plan.order.size(); i-- > 0;) {
    const std::size_t guest = plan.order[i];
    for (std::size_t k = plan.digits[guest].size(); k-- > 0;) {
      const auto& [host, radix] = plan.digits[guest][k];
      steps.push_back({static_cast<std::uint32_t>(guest), static_cast<std::uint32_t>(k),
                       static_cast<std::uint32_t>(host), radix});
    }
  }
  return steps;
}

// Where a position lies whose digits `digit_of` knows.
template <typename DigitOf>
Cell Folder::cell(const std::vector<Step>& steps, const DigitOf& digit_of) const {
  std::array<unsigned, kMaxBoxDimensions> at{};
  for (const Step& step : steps) {
    unsigned& here = at[step.host];
    here = here * step.radix + reflect(digit_of(step), step.radix, here);
  }
  Cell result{};
  for (std::size_t d = 0; d < box_.dimensions(); ++d) {
    result[d] = static_cast<std::uint16_t>(at[d]);
  }
  return result;
}

}  // namespace tofa
