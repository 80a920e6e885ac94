// SPDX-License-Identifier: BSD-3-Clause
// See loose_parts.hpp.
#include "mapping/tools/loose_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "mapping/tools/backbone.hpp"
#include "mapping/tools/strangers.hpp"

namespace tofa {
namespace {

constexpr std::size_t kFewestRanks = 64;    // of a part that is worth places of its own
constexpr std::size_t kMostParts = 64;      // all others are one more
constexpr double kMostBytesBetween = 0.05;  // where they are coupled
// Of more, to find out which pairs are of strangers takes too long.
constexpr Rank kMostRanksToLookAt = 200'000;

using Parts = std::vector<std::vector<Rank>>;

// Those worth places of their own, and the rest as the last one; empty where the traffic does not
// fall apart.
Parts worth_places(Parts parts, Rank ranks) {
  if (static_cast<double>(parts.front().size()) >= kConnected * ranks) return {};
  const auto small = std::find_if(parts.begin(), parts.end(),
                                  [](const auto& part) { return part.size() < kFewestRanks; });
  const auto kept = std::min<std::ptrdiff_t>(small - parts.begin(), kMostParts);
  if (kept == 0) return {};
  std::vector<Rank> rest;
  for (auto it = parts.begin() + kept; it != parts.end(); ++it) {
    rest.insert(rest.end(), it->begin(), it->end());
  }
  parts.resize(static_cast<std::size_t>(kept));
  if (!rest.empty()) parts.push_back(std::move(rest));
  // In the order of the job, which may mean something to whoever places them.
  for (auto& part : parts) std::sort(part.begin(), part.end());
  return parts;
}

bool are_coupled_loosely(const CommGraph& graph, const Parts& parts) {
  std::vector<std::uint32_t> part_of(graph.ranks());
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    for (const Rank rank : parts[i]) part_of[rank] = i;
  }
  double between = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      const bool crosses = partner > rank && part_of[partner] != part_of[rank];
      between += crosses ? static_cast<double>(bytes) : 0;
    }
  }
  return between <= kMostBytesBetween * static_cast<double>(graph.total_bytes());
}

}  // namespace

std::vector<std::vector<Rank>> loose_parts(const CommGraph& graph, const CommGraph* strong) {
  if (graph.ranks() < 2 * kFewestRanks) return {};
  const auto if_coupled_loosely = [&graph](Parts&& parts) {
    Parts found = worth_places(std::move(parts), graph.ranks());
    return found.empty() || are_coupled_loosely(graph, found) ? found : Parts{};
  };
  Parts found;
  if (strong != nullptr) found = if_coupled_loosely(components_of(*strong));
  if (found.empty()) found = worth_places(components_of(graph), graph.ranks());
  if (!found.empty() || graph.ranks() > kMostRanksToLookAt) return found;
  std::optional<Strangers> strangers = Strangers::among(graph);
  return strangers ? if_coupled_loosely(components_of(graph, &*strangers)) : found;
}

}  // namespace tofa
