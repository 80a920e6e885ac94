// SPDX-License-Identifier: BSD-3-Clause
// Keeping a ledger: see axis_ledger.hpp.
#include "mapping/search/axis_ledger.hpp"

#include <algorithm>

#include "mapping/tools/vectors.hpp"

namespace tofa {
namespace {

// Adds `count` numbers, each times the weight, a whole vector at a time. The last one may reach
// beyond them: `numbers` has zeros there, so that what lies behind in `to` stays as it is.
template <unsigned kBytes>
[[gnu::always_inline]] inline void add_weighted(std::int32_t weight, const std::int32_t* numbers,
                                                std::uint32_t count, std::int32_t* to) {
  static_assert(Wide<kBytes>::kCount <= GridAxes::kBeyond);
  for (std::uint32_t i = 0; i < count; i += Wide<kBytes>::kCount) {
    typename Wide<kBytes>::Ints sum;
    typename Wide<kBytes>::Ints more;
    load(to + i, sum);
    load(numbers + i, more);
    sum += weight * more;
    store(sum, to + i);
  }
}

}  // namespace

AxisLedger::AxisLedger(const SearchSpace& space, const Seating& seating,
                       const std::vector<Rank>& ranks)
    : AxisLedger(space, seating, ranks, !has_avx2()) {}

AxisLedger AxisLedger::plain(const SearchSpace& space, const Seating& seating,
                             const std::vector<Rank>& ranks) {
  return {space, seating, ranks, true};
}

AxisLedger::AxisLedger(const SearchSpace& space, const Seating& seating,
                       const std::vector<Rank>& ranks, bool plainly)
    : space_(space),
      axes_(*space.axes()),
      width_(axes_.width()),
      plainly_(plainly),
      cost_(width_ * space.task().graph.ranks() + kBeyond),
      shift_(width_ + kBeyond) {
#if defined(__x86_64__)
  if (!plainly_) {
    add_up_with_avx2(seating, ranks);
    return;
  }
#endif
  add_up_at_once<16>(seating, ranks);
}

template <unsigned kBytes>
[[gnu::always_inline]] inline void AxisLedger::add_up_at_once(const Seating& seating,
                                                              const std::vector<Rank>& ranks) {
  for (const Rank rank : ranks) {
    std::int32_t* mine = &cost_[rank * width_];
    for (const auto& [partner, weight] : space_.partners(rank)) {
      const std::uint16_t* there = axes_.at(seating.entry(partner));
      for (std::size_t d = 0; d < axes_.dimensions(); ++d) {
        const std::uint32_t begin = axes_.begin(d);
        add_weighted<kBytes>(weight, axes_.hops(there[d]), axes_.begin(d + 1) - begin,
                             mine + begin);
      }
    }
  }
}

template <unsigned kBytes>
[[gnu::always_inline]] inline void AxisLedger::shift_at_once(Rank rank, std::uint32_t begin,
                                                             std::uint32_t extent) {
  for (const auto& [partner, weight] : space_.partners(rank))
    add_weighted<kBytes>(weight, shift_.data(), extent, &cost_[partner * width_ + begin]);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void AxisLedger::add_up_with_avx2(const Seating& seating,
                                                          const std::vector<Rank>& ranks) {
  add_up_at_once<32>(seating, ranks);
}
[[gnu::target("avx2")]] void AxisLedger::shift_with_avx2(Rank rank, std::uint32_t begin,
                                                         std::uint32_t extent) {
  shift_at_once<32>(rank, begin, extent);
}
#endif

void AxisLedger::move(Rank rank, std::uint32_t from, std::uint32_t to) {
  const std::uint16_t* here = axes_.at(from);
  const std::uint16_t* there = axes_.at(to);
  for (std::size_t d = 0; d < axes_.dimensions(); ++d) {
    if (here[d] == there[d]) continue;
    const std::uint32_t begin = axes_.begin(d);
    const std::uint32_t extent = axes_.begin(d + 1) - begin;
    const std::int32_t* before = axes_.hops(here[d]);
    const std::int32_t* after = axes_.hops(there[d]);
    for (std::uint32_t i = 0; i < extent; ++i) shift_[i] = after[i] - before[i];
    std::fill_n(&shift_[extent], kBeyond, 0);
#if defined(__x86_64__)
    if (!plainly_) {
      shift_with_avx2(rank, begin, extent);
      continue;
    }
#endif
    shift_at_once<16>(rank, begin, extent);
  }
}

}  // namespace tofa
