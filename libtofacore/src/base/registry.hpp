// SPDX-License-Identifier: BSD-3-Clause
// Registries: what there are several of (mappers, topologies, formats, objectives, metrics, ...) is
// a constant per entry, each in a file of its own, listed once. A list reads
//
//     extern const Mapper kLinearMapper, kGreedyMapper;
//     constexpr std::array kMappers{&kLinearMapper, &kGreedyMapper};
//
// and an entry `extern constexpr Mapper kGreedyMapper{...};`, so that nothing runs before main()
// and no linker can drop an entry.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tofa {

template <typename Entry>
using Registry = std::span<const Entry* const>;

// Null where no entry has that name.
template <typename Entry>
const Entry* find_entry(Registry<Entry> registry, std::string_view name) {
  const auto found = std::find_if(registry.begin(), registry.end(),
                                  [name](const Entry* entry) { return entry->name == name; });
  return found == registry.end() ? nullptr : *found;
}

template <typename Entry>
std::vector<std::string> names_of(Registry<Entry> registry) {
  std::vector<std::string> names;
  for (const Entry* entry : registry) names.emplace_back(entry->name);
  return names;
}

}  // namespace tofa
