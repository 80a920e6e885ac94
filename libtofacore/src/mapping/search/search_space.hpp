// SPDX-License-Identifier: BSD-3-Clause
// What all searches of one task share and none changes: the seats, the costs between entries, the
// traffic in a compact form, and for each entry the entries around it, from which moves are drawn.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mapping/search/grid_axes.hpp"
#include "mapping/search/neighbourhoods.hpp"
#include "mapping/search/pair_cost.hpp"
#include "mapping/seats/seating.hpp"
#include "mapping/tools/random_source.hpp"
#include "mapping/tools/strong_pairs.hpp"

namespace tofa {

// A partner and what is exchanged with it, scaled to whole numbers that a search can add up fast.
struct WeightedPartner {
  Rank partner;
  std::int32_t weight;
};

class SearchSpace {
 public:
  // From so many partners to draw on, less memory is taken, and a draw takes longer.
  static constexpr std::size_t kVeryMany = 4'000'000;
  explicit SearchSpace(const MappingTask& task, std::size_t very_many = kVeryMany);
  SearchSpace(const SearchSpace&) = delete;
  SearchSpace& operator=(const SearchSpace&) = delete;

  const MappingTask& task() const { return task_; }
  const SeatPlan& plan() const { return plan_; }
  const PairCost& cost() const { return cost_; }
  // Nothing where costs are not hops, or where there is no grid and a ledger does not serve.
  const std::optional<GridAxes>& axes() const { return axes_; }
  std::span<const WeightedPartner> partners(Rank rank) const {
    return {partners_.data() + offsets_[rank], partners_.data() + offsets_[rank + 1]};
  }
  // Of these, the strong ones (strong_pairs.hpp), near which the rank is tried.
  std::span<const WeightedPartner> strong_partners(Rank rank) const {
    return partners(rank).first(strong_[rank]);
  }
  // Of all the rank of a draw has, on average.
  double partners_of_a_draw() const { return partners_of_a_draw_; }
  // Bytes of a unit of weight, and the weight of a faulty link.
  double bytes_per_weight() const { return bytes_per_weight_; }
  std::int64_t risk_weight() const { return risk_weight_; }
  // Ranks that talk to others; all ranks if none does.
  const std::vector<Rank>& active_ranks() const { return active_ranks_; }
  // The entries around an entry, nearest first, its own among them when it has several seats.
  std::span<const std::uint32_t> around(std::uint32_t entry) const { return around_.of(entry); }

  // A move to try: a rank, and a seat near one of its partners, most of the time; any seat
  // otherwise, so that every seat can be reached; possibly the rank's own.
  struct Draw {
    Rank rank;
    Seat target;
  };
  // Ranks with many partners are drawn more often: they are the harder ones to place.
  Draw draw(const Seating& seating, RandomSource& random) const {
    if (draws_ == 0) return {random.below(task_.graph.ranks()), random.below(plan_.seats())};
    const std::uint32_t i = random.below(draws_);
    const Rank rank = source_rank_.empty() ? look_for_source(i) : source_rank_[i];
    const std::size_t at = drawn_from_.empty() ? i : drawn_partner(rank, i - drawn_from_[rank]);
    return {rank, draw_near(partners_[at].partner, random.next(), seating, random)};
  }
  // The same for a given rank.
  Seat draw_target(Rank rank, const Seating& seating, RandomSource& random) const {
    const auto strong = strong_partners(rank);
    if (strong.empty()) return random.below(plan_.seats());
    const std::uint64_t bits = random.next();
    const Rank partner = strong[pick(random.next(), strong.size())].partner;
    return draw_near(partner, bits, seating, random);
  }

 private:
  // Of very many, the source of one in so many is kept, and the others are looked for from there.
  static constexpr std::uint32_t kBetween = 16;
  // One draw in 128 ignores the neighbourhoods.
  static constexpr std::uint64_t kFarMask = 127;

  static std::size_t pick(std::uint64_t bits, std::size_t count) {
    return static_cast<std::size_t>(((bits & 0xfffffU) * count) >> 20U);
  }
  Seat draw_near(Rank partner, std::uint64_t bits, const Seating& seating,
                 RandomSource& random) const {
    if ((bits & kFarMask) == 0) return random.below(plan_.seats());
    const auto near = around(seating.entry(partner));
    if (near.empty()) return random.below(plan_.seats());
    const std::uint32_t entry = near[pick(bits >> 7U, near.size())];
    return plan_.first_seat(entry) + static_cast<Seat>(pick(bits >> 27U, plan_.seats_of(entry)));
  }

  // Whose partner one of those is that are drawn.
  Rank look_for_source(std::uint32_t i) const {
    std::size_t k = source_of_some_[i / kBetween];
    while (end_of_drawn(active_ranks_[k]) <= i) ++k;
    return active_ranks_[k];
  }
  std::size_t end_of_drawn(Rank rank) const {
    return drawn_from_.empty()
               ? offsets_[rank + 1]
               : drawn_from_[rank] + std::min<std::size_t>(strong_[rank], StrongPairs::kMostDrawn);
  }

  // Of those of a rank that are drawn.
  std::size_t drawn_partner(Rank rank, std::size_t i) const {
    return offsets_[rank] + (strong_[rank] <= StrongPairs::kMostDrawn
                                 ? i
                                 : i * strong_[rank] / StrongPairs::kMostDrawn);
  }

  void compress_traffic();
  void choose_drawn(std::size_t very_many);
  void note_sources();
  void note_some_sources();

  const MappingTask& task_;
  SeatPlan plan_;
  PairCost cost_;
  std::optional<GridAxes> axes_;
  std::vector<std::size_t> offsets_;
  std::vector<WeightedPartner> partners_;  // of each rank, the strong ones first
  std::vector<std::uint32_t> strong_;      // by rank: so many are
  std::uint32_t draws_ = 0;                // so many partners are drawn from
  std::vector<Rank> source_rank_;          // whose partner each of them is; or, of very many,
  std::vector<Rank> source_of_some_;       // of one in kBetween, by where in active_ranks_
  std::vector<std::uint32_t> drawn_from_;  // by rank: the first of its own; empty if all are drawn
  double partners_of_a_draw_ = 0;
  std::vector<Rank> active_ranks_;
  double bytes_per_weight_ = 1;
  std::int64_t risk_weight_ = 0;
  Neighbourhoods around_;
};

}  // namespace tofa
