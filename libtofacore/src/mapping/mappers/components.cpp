// SPDX-License-Identifier: BSD-3-Clause
// components: for traffic that falls apart, as that of an ensemble of runs in one job, or of models
// that are coupled loosely. Each component gets a region of the machine, of nodes that lie
// together, and is placed there by another mapper as if it was a job of its own: so that a grid
// among them is laid as a grid, and a mesh by its shape. The machine is cut across its longest side
// again and again, as components are shared out to both halves (recursive coordinate bisection:
// Berger and Bokhari, A partitioning strategy for nonuniform problems on multiprocessors, 1987).
// What components exchange with each other is left to the search.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "base/lanes.hpp"
#include "mapping/mapper.hpp"

namespace tofa {

extern const Mapper kComponentsMapper;

namespace {

using Components = std::vector<std::vector<Rank>>;

// What the ranks of a component exchange among themselves, numbered as they are listed. `local` is
// scratch: by rank, and kNoRank before and after.
CommGraph traffic_within(const CommGraph& graph, const std::vector<Rank>& ranks,
                         std::vector<Rank>& local) {
  for (Rank i = 0; i < ranks.size(); ++i) local[ranks[i]] = i;
  Traffic traffic;
  traffic.ranks = static_cast<Rank>(ranks.size());
  for (const Rank rank : ranks) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (sent > 0 && local[partner] != kNoRank)
        traffic.entries.push_back({local[rank], local[partner], sent});
    }
  }
  for (const Rank rank : ranks) local[rank] = kNoRank;
  return CommGraph(traffic);
}

// A region of the machine for each component, with seats in proportion to its ranks.
class Regions {
 public:
  Regions(const MappingTask& task, const Components& components)
      : dimensions_(task.topology.grid()->dimensions()), regions_(components.size()) {
    Places all;
    for (const AllocationEntry& entry : task.allocation) {
      const std::vector<unsigned> at = task.topology.coordinates(entry.node);
      all.push_back({static_cast<std::uint32_t>(at_.size()), entry});
      at_.insert(at_.end(), at.begin(), at.end());
    }
    Some some;
    for (std::uint32_t i = 0; i < components.size(); ++i) {
      some.push_back({i, components[i].size()});
    }
    std::stable_sort(some.begin(), some.end(),
                     [](const Share& a, const Share& b) { return a.ranks > b.ranks; });
    divide(some, std::move(all));
  }

  const Allocation& of(std::size_t component) const { return regions_[component]; }

 private:
  struct Share {
    std::uint32_t component;
    std::uint64_t ranks;
  };
  using Some = std::vector<Share>;
  struct Place {
    std::uint32_t first;  // of its coordinates
    AllocationEntry entry;
  };
  using Places = std::vector<Place>;

  unsigned at(const Place& place, std::size_t d) const { return at_[place.first + d]; }

  // The largest come first.
  void divide(const Some& some, Places places) {
    if (some.size() == 1) {
      for (const Place& place : places) regions_[some.front().component].push_back(place.entry);
      return;
    }
    std::array<Some, 2> halves;
    std::array<std::uint64_t, 2> ranks{};
    for (const Share& share : some) {
      const std::size_t half = ranks[1] < ranks[0] ? 1 : 0;
      halves[half].push_back(share);
      ranks[half] += share.ranks;
    }
    const std::size_t side = sort_along_longest_side(places);
    Places low = take(places, side, ranks);
    divide(halves[0], std::move(low));
    divide(halves[1], std::move(places));
  }

  // From the front, seats for the first and for no less than the second; as near to their
  // proportion as whole planes allow, or whole nodes, or else with a node in both.
  Places take(Places& places, std::size_t side, const std::array<std::uint64_t, 2>& ranks) const {
    std::uint64_t all = 0;
    for (const Place& place : places) all += place.entry.slots;
    const std::uint64_t most = all - ranks[1];
    const double share = static_cast<double>(ranks[0]) / static_cast<double>(ranks[0] + ranks[1]);
    const double wanted = share * static_cast<double>(all);
    std::size_t whole = 0;  // nodes before the cut
    std::uint64_t seats = 0;
    std::optional<std::pair<double, std::size_t>> best;  // how far off, and where
    for (; whole < places.size() && seats <= most; seats += places[whole++].entry.slots) {
      if (seats < ranks[0]) continue;
      const bool between_planes =
          whole > 0 && at(places[whole], side) != at(places[whole - 1], side);
      const double off = std::fabs(static_cast<double>(seats) - wanted) +
                         (between_planes ? 0 : static_cast<double>(all));
      if (!best || off < best->first) best = {off, whole};
    }
    if (best) return cut_off(places, best->second);
    seats = ranks[0];
    for (whole = 0; places[whole].entry.slots <= seats; ++whole) seats -= places[whole].entry.slots;
    const auto rest = static_cast<unsigned>(seats);
    Places low = cut_off(places, whole);
    low.push_back({places.front().first, {places.front().entry.node, rest}});
    places.front().entry.slots -= rest;
    return low;
  }

  static Places cut_off(Places& places, std::size_t count) {
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(count);
    Places low(places.begin(), end);
    places.erase(places.begin(), end);
    return low;
  }

  std::size_t sort_along_longest_side(Places& places) const {
    std::size_t longest = 0;
    unsigned length = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const auto [low, high] =
          std::minmax_element(places.begin(), places.end(),
                              [&](const Place& a, const Place& b) { return at(a, d) < at(b, d); });
      if (at(*high, d) - at(*low, d) <= length) continue;
      longest = d;
      length = at(*high, d) - at(*low, d);
    }
    std::stable_sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
      return at(a, longest) < at(b, longest);
    });
    return longest;
  }

  std::size_t dimensions_;
  std::vector<unsigned> at_;  // of all places, one after the other
  std::vector<Allocation> regions_;
};

// Those that end by themselves; what takes long is tried only where nothing else leads anywhere.
// SCOTCH has a lane of its own.
bool is_tried(const Mapper& mapper, const MappingTask& task, bool found_much) {
  return &mapper != &kComponentsMapper && mapper.turn != Turn::scotch_lane &&
         !mapper.uses_all_time && !(found_much && mapper.seconds != nullptr) &&
         mapper.candidate(task);
}

Mapping place_in_region(const MappingTask& task) {
  constexpr double much = 0.5;  // of list order
  const auto cost_of = [&task](const Mapping& mapping) {
    return hop_bytes_of(task.graph, task.topology, mapping);
  };
  Mapping best = map_linear(task);
  const double linear = cost_of(best);
  double least = linear;
  for (const Mapper* mapper : mapper_registry()) {
    if (least == 0 || task.deadline.passed()) break;
    if (mapper->map == map_linear || !is_tried(*mapper, task, least < much * linear)) continue;
    Mapping mapping = mapper->map(task);
    const double cost = cost_of(mapping);
    if (cost >= least) continue;
    least = cost;
    best = std::move(mapping);
  }
  return best;
}

// Groups take most of the time where there are any, and may be better.
double seconds_for_all(const MappingTask& task) {
  constexpr double little = 2e-5;  // for a rank
  return group_is_candidate(task) ? std::min(task.seconds, little * task.graph.ranks())
                                  : task.seconds;
}

// Components by lane, with about as many ranks each. The largest come first, but the rest may be
// large.
std::array<std::vector<std::size_t>, kLanes> shared_out(const Components& components) {
  std::array<std::vector<std::size_t>, kLanes> lanes;
  std::array<std::size_t, kLanes> ranks{};
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto least = std::min_element(ranks.begin(), ranks.end()) - ranks.begin();
    const auto lane = static_cast<std::size_t>(least);
    lanes[lane].push_back(i);
    ranks[lane] += components[i].size();
  }
  return lanes;
}

// Places some of the components, each of which has its share of the time.
void place_some(const MappingTask& task, const Components& components, const Regions& regions,
                const std::vector<std::size_t>& some, Mapping& mapping) {
  std::vector<Rank> local(task.graph.ranks(), kNoRank);
  const double seconds = seconds_for_all(task);
  double left = 0;
  for (const std::size_t i : some) left += static_cast<double>(components[i].size());
  for (const std::size_t i : some) {
    const std::vector<Rank>& component = components[i];
    const auto ranks = static_cast<Rank>(component.size());
    Mapping found = linear_mapping(regions.of(i), ranks);
    if (!task.deadline.passed()) {
      const CommGraph traffic = traffic_within(task.graph, component, local);
      MappingTask own = task.on(regions.of(i)).with_traffic(traffic);
      own.objective = parse_objective("hop-bytes");  // loads are those of all together
      own.needs = nullptr;                           // of other ranks; the whole is mended
      own.spare_seconds = own.more_seconds = 0;
      own.seconds = seconds * ranks / task.graph.ranks();
      own.deadline = task.deadline.share(ranks / left);
      found = place_in_region(own);
    }
    left -= ranks;
    for (std::size_t at = 0; at < component.size(); ++at) mapping[component[at]] = found[at];
  }
}

Mapping map_components(const MappingTask& task) {
  if (task.topology.grid() == nullptr) return map_linear(task);
  const Components& components = task.recognised->loose_parts();
  if (components.empty()) return map_linear(task);
  const Regions regions(task, components);
  const auto lanes = shared_out(components);
  Mapping mapping(task.graph.ranks());
  run_lanes_if(!lanes[1].empty(),
               [&](unsigned lane) { place_some(task, components, regions, lanes[lane], mapping); });
  return mapping;
}

// Elsewhere graphs are cut, and what falls apart is cut there first.
bool components_is_candidate(const MappingTask& task) {
  return task.topology.grid() != nullptr && task.allocation.size() > 1 &&
         !task.recognised->loose_parts().empty();
}

}  // namespace

constexpr Mapper kComponentsMapper{"components", map_components, components_is_candidate,
                                   Turn::both_lanes};

}  // namespace tofa
