// SPDX-License-Identifier: BSD-3-Clause
// Heaps and looks at all: see movable.hpp.
#include "mapping/tools/movable.hpp"

#include <algorithm>
#include <limits>

#include "mapping/tools/vectors.hpp"

namespace tofa {
namespace {

constexpr std::int64_t kLeastGain = std::numeric_limits<std::int32_t>::min();
constexpr std::uint32_t kAtOnce = Wide<32>::kCount;

std::uint64_t entry_of(std::int32_t gain, std::uint32_t vertex) {
  return static_cast<std::uint64_t>(gain - kLeastGain) << 32U | ~vertex;
}
Movable movable_of(std::uint64_t entry) {
  return {static_cast<std::int32_t>(static_cast<std::int64_t>(entry >> 32U) + kLeastGain),
          ~static_cast<std::uint32_t>(entry)};
}

// The first of the largest, of numbers that are whole vectors.
template <unsigned kBytes>
[[gnu::always_inline]] inline Movable look_at_all_gains(const std::vector<std::int32_t>& numbers) {
  using Ints = typename Wide<kBytes>::Ints;
  constexpr std::uint32_t wide = Wide<kBytes>::kCount;
  Ints most;
  Ints where;
  for (unsigned i = 0; i < wide; ++i) where[i] = static_cast<std::int32_t>(i);
  Ints there = where;
  load(numbers.data(), most);
  for (std::size_t at = wide; at < numbers.size(); at += wide) {
    Ints next;
    load(numbers.data() + at, next);
    there += static_cast<std::int32_t>(wide);
    const Ints more = next > most;
    most = more ? next : most;
    where = more ? there : where;
  }
  std::uint64_t best = 0;
  for (unsigned i = 0; i < wide; ++i)
    best = std::max(best, entry_of(most[i], static_cast<std::uint32_t>(where[i])));
  return movable_of(best);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] Movable find_largest_with_avx2(const std::vector<std::int32_t>& numbers) {
  return look_at_all_gains<32>(numbers);
}
#endif

Movable find_largest(const std::vector<std::int32_t>& numbers) {
#if defined(__x86_64__)
  if (has_avx2()) return find_largest_with_avx2(numbers);
#endif
  return look_at_all_gains<16>(numbers);
}

}  // namespace

MovableVertices::MovableVertices(std::uint32_t vertices) : few_(vertices <= kFew) {
  if (few_) {
    for (auto& gains : gains_)
      gains.assign((std::size_t{vertices} / kAtOnce + 1) * kAtOnce, kStays);
  } else {
    gain_.resize(vertices);
    side_.assign(vertices, kNeither);
  }
}

void MovableVertices::clear() {
  for (auto& gains : gains_) std::fill(gains.begin(), gains.end(), kStays);
  for (auto& heap : heaps_) heap.clear();
  std::fill(side_.begin(), side_.end(), kNeither);
}

void MovableVertices::add(unsigned side, std::uint32_t vertex, std::int32_t gain) {
  if (few_) {
    gains_[side][vertex] = gain;
    return;
  }
  side_[vertex] = static_cast<std::uint8_t>(side);
  gain_[vertex] = gain;
  heaps_[side].push_back(entry_of(gain, vertex));
}

void MovableVertices::order() {
  for (auto& heap : heaps_) std::make_heap(heap.begin(), heap.end());
}

void MovableVertices::put_on_heap(unsigned side, std::uint32_t vertex, std::int32_t gain) {
  add(side, vertex, gain);
  std::push_heap(heaps_[side].begin(), heaps_[side].end());
}

std::optional<Movable> MovableVertices::best_of_few(unsigned side) const {
  const Movable found = find_largest(gains_[side]);
  return found.gain == kStays ? std::nullopt : std::optional(found);
}

std::optional<Movable> MovableVertices::best(unsigned side) {
  if (few_) return best_of_few(side);
  auto& heap = heaps_[side];
  while (!heap.empty()) {
    const Movable top = movable_of(heap.front());
    if (side_[top.vertex] == side && gain_[top.vertex] == top.gain) return top;
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
  }
  return std::nullopt;
}

}  // namespace tofa
