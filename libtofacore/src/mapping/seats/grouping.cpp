// SPDX-License-Identifier: BSD-3-Clause
// Choosing how large groups are: see grouping.hpp.
#include "mapping/seats/grouping.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tofa {
namespace {

Grouping in_groups_of(unsigned size, const Allocation& allocation) {
  Grouping grouping;
  grouping.size = size;
  for (const auto& [node, slots] : allocation) {
    if (slots < size) continue;
    grouping.nodes.push_back({node, slots / size});
    grouping.room += slots / size;
  }
  return grouping;
}

}  // namespace

Grouping choose_grouping(const Allocation& allocation) {
  constexpr double nearly_all = 0.95;
  constexpr std::size_t most_kinds = 8;
  std::vector<unsigned> sizes;
  unsigned divisor = 0;
  std::uint64_t slots = 0;
  for (const AllocationEntry& entry : allocation) {
    sizes.push_back(entry.slots);
    divisor = std::gcd(divisor, entry.slots);
    slots += entry.slots;
  }
  sizes.push_back(divisor);
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.size() > most_kinds) sizes.erase(sizes.begin() + most_kinds, sizes.end());
  Grouping best;
  for (const unsigned size : sizes) {
    Grouping grouping = in_groups_of(size, allocation);
    if (grouping.seats() <= best.seats()) continue;
    best = std::move(grouping);
    if (static_cast<double>(best.seats()) >= nearly_all * static_cast<double>(slots)) break;
  }
  return best;
}

std::vector<std::uint32_t> sizes_of_groups(const Grouping& grouping, Rank ranks) {
  const std::uint64_t wanted = (std::uint64_t{ranks} + grouping.size - 1) / grouping.size;
  const std::uint64_t groups = std::min(wanted, grouping.room);
  const std::uint64_t vertices = std::max<std::uint64_t>(ranks, groups * grouping.size);
  std::vector<std::uint32_t> sizes;
  for (std::uint64_t i = 0; i < groups; ++i) {
    const std::uint64_t before = vertices * i / groups;
    sizes.push_back(static_cast<std::uint32_t>(vertices * (i + 1) / groups - before));
  }
  return sizes;
}

}  // namespace tofa
