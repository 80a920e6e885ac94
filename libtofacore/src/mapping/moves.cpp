// SPDX-License-Identifier: BSD-3-Clause
// Drawing moves: see moves.hpp.
#include "mapping/moves.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tofa {

MoveSource::MoveSource(const MappingTask& task, const SeatPlan& plan, const PairCost& cost)
    : graph_(task.graph), plan_(plan) {
  for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
    if (!graph_.partners(rank).empty()) talkers_.push_back(rank);
  }
  if (talkers_.empty()) {
    talkers_.resize(graph_.ranks());
    std::iota(talkers_.begin(), talkers_.end(), Rank{0});
  }
  const std::size_t places = plan.places();
  if (places > kMaxPlaces) return;
  size_ = std::min(kNeighbourhood, places);
  near_.resize(places * size_);
  std::vector<std::pair<double, std::uint32_t>> order(places);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(size_);
  for (std::uint32_t a = 0; a < places; ++a) {
    for (std::uint32_t b = 0; b < places; ++b) {
      // A node is its own neighbour only when a second rank fits on it.
      const bool full = a == b && plan.seats_of(a) < 2;
      order[b] = {full ? HUGE_VAL : cost.between(a, b), b};
    }
    std::partial_sort(order.begin(), middle, order.end());
    std::transform(order.begin(), middle, near_.begin() + static_cast<std::ptrdiff_t>(a * size_),
                   [](const auto& entry) { return entry.second; });
  }
}

Rank MoveSource::draw_rank(RandomSource& random) const {
  return talkers_[random.below(static_cast<std::uint32_t>(talkers_.size()))];
}

Seat MoveSource::draw_target(Rank rank, const Seating& seating, RandomSource& random) const {
  const auto partners = graph_.partners(rank);
  if (partners.empty() || near_.empty() || random.below(kFarDraw) == 0)
    return random.below(plan_.seats());
  const Rank partner = partners[random.below(static_cast<std::uint32_t>(partners.size()))].partner;
  const std::size_t row = seating.place(partner) * size_;
  const std::uint32_t place = near_[row + random.below(static_cast<std::uint32_t>(size_))];
  return plan_.first_seat(place) + random.below(plan_.seats_of(place));
}

}  // namespace tofa
