// SPDX-License-Identifier: BSD-3-Clause
// components: for traffic that falls apart, as that of an ensemble of runs in one job, or of models
// that are coupled loosely. Each component gets a region of the machine, of nodes that lie
// together, and is placed there by the other mappers as if it was a job of its own: so that a grid
// among them is laid as a grid, and a mesh by its shape. The machine is cut across its longest side
// again and again, as components are shared out to both halves (recursive coordinate bisection:
// Berger and Bokhari, A partitioning strategy for nonuniform problems on multiprocessors, 1987).
#include <algorithm>
#include <numeric>
#include <span>

#include "mapping/mapper.hpp"
#include "mapping/tools/backbone.hpp"

namespace tofa {
namespace {

constexpr std::size_t kFewestRanks = 64;    // of a component that is worth a region
constexpr std::size_t kMostRegions = 64;    // what is left over shares one more
constexpr double kMostOfTheRanks = 0.9;     // in a component, or the job is one
constexpr double kMostBytesBetween = 0.05;  // where components are coupled

using Components = std::vector<std::vector<Rank>>;

bool is_one(const Components& components, Rank ranks) {
  return static_cast<double>(components.front().size()) > kMostOfTheRanks * ranks;
}

// Those worth a region, and the rest as the last one; empty where the traffic does not fall apart.
Components worth_regions(Components components, Rank ranks) {
  if (is_one(components, ranks)) return {};
  const auto small = std::find_if(components.begin(), components.end(), [](const auto& ranks_of) {
    return ranks_of.size() < kFewestRanks;
  });
  const auto kept = std::min<std::ptrdiff_t>(small - components.begin(), kMostRegions);
  std::vector<Rank> rest;
  for (auto it = components.begin() + kept; it != components.end(); ++it) {
    rest.insert(rest.end(), it->begin(), it->end());
  }
  components.resize(static_cast<std::size_t>(kept));
  if (components.empty()) return {};
  if (!rest.empty()) components.push_back(std::move(rest));
  return components;
}

std::vector<std::uint32_t> component_by_rank(const Components& components, Rank ranks) {
  std::vector<std::uint32_t> of(ranks);
  for (std::uint32_t i = 0; i < components.size(); ++i) {
    for (const Rank rank : components[i]) of[rank] = i;
  }
  return of;
}

bool are_coupled_loosely(const CommGraph& graph, const Components& components) {
  const std::vector<std::uint32_t> of = component_by_rank(components, graph.ranks());
  double between = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (partner > rank && of[partner] != of[rank]) between += static_cast<double>(bytes);
    }
  }
  return between <= kMostBytesBetween * static_cast<double>(graph.total_bytes());
}

// By the traffic, or by what carries most of it.
Components find_components(const CommGraph& graph) {
  if (graph.ranks() < 2 * kFewestRanks) return {};
  Components all = components_of(graph);
  if (!is_one(all, graph.ranks())) return worth_regions(std::move(all), graph.ranks());
  const std::optional<CommGraph> strong = backbone(graph);
  if (!strong) return {};
  Components coupled = worth_regions(components_of(*strong), graph.ranks());
  if (coupled.empty() || !are_coupled_loosely(graph, coupled)) return {};
  return coupled;
}

// What the ranks of a component exchange among themselves, numbered as they are listed.
CommGraph traffic_within(const CommGraph& graph, const std::vector<Rank>& ranks) {
  constexpr Rank outside = ~Rank{0};
  std::vector<Rank> local(graph.ranks(), outside);
  for (Rank i = 0; i < ranks.size(); ++i) local[ranks[i]] = i;
  Traffic traffic;
  traffic.ranks = static_cast<Rank>(ranks.size());
  for (const Rank rank : ranks) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (sent > 0 && local[partner] != outside)
        traffic.entries.push_back({local[rank], local[partner], sent});
    }
  }
  traffic.normalise();
  return CommGraph(traffic);
}

// A region of the machine for each component, with seats in proportion to its ranks.
class Regions {
 public:
  Regions(const MappingTask& task, const Components& components) : topology_(task.topology) {
    for (const auto& ranks : components) sizes_.push_back(ranks.size());
    regions_.resize(sizes_.size());
    std::vector<std::uint32_t> all(sizes_.size());
    std::iota(all.begin(), all.end(), 0U);
    std::sort(all.begin(), all.end(), [this](std::uint32_t a, std::uint32_t b) {
      return sizes_[a] != sizes_[b] ? sizes_[a] > sizes_[b] : a < b;
    });
    divide(all, task.allocation);
  }

  const Allocation& of(std::size_t component) const { return regions_[component]; }

 private:
  using Some = std::vector<std::uint32_t>;  // components

  std::uint64_t ranks_of(const Some& some) const {
    std::uint64_t sum = 0;
    for (const std::uint32_t component : some) sum += sizes_[component];
    return sum;
  }

  // The largest come first.
  void divide(const Some& some, Allocation nodes) {
    if (some.size() == 1) {
      regions_[some.front()] = std::move(nodes);
      return;
    }
    std::array<Some, 2> halves;
    std::array<std::uint64_t, 2> ranks{};
    for (const std::uint32_t component : some) {
      const std::size_t half = ranks[1] < ranks[0] ? 1 : 0;
      halves[half].push_back(component);
      ranks[half] += sizes_[component];
    }
    sort_along_longest_side(nodes);
    const std::uint64_t spare = total_slots(nodes) - ranks[0] - ranks[1];
    const auto share = static_cast<double>(ranks[0]) / static_cast<double>(ranks[0] + ranks[1]);
    Allocation low =
        take(nodes, ranks[0] + static_cast<std::uint64_t>(share * static_cast<double>(spare)));
    divide(halves[0], std::move(low));
    divide(halves[1], std::move(nodes));
  }

  // From the front; a node at the border is in both.
  static Allocation take(Allocation& nodes, std::uint64_t slots) {
    Allocation taken;
    std::size_t whole = 0;
    for (; whole < nodes.size() && nodes[whole].slots <= slots; ++whole) {
      slots -= nodes[whole].slots;
    }
    taken.assign(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(whole));
    nodes.erase(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(whole));
    if (slots > 0) {
      taken.push_back({nodes.front().node, static_cast<unsigned>(slots)});
      nodes.front().slots -= static_cast<unsigned>(slots);
    }
    return taken;
  }

  void sort_along_longest_side(Allocation& nodes) const {
    const std::size_t dimensions = topology_.grid()->dimensions();
    std::vector<unsigned> low(dimensions, ~0U);
    std::vector<unsigned> high(dimensions, 0);
    struct Placed {
      std::vector<unsigned> at;
      AllocationEntry entry;
    };
    std::vector<Placed> placed;
    for (const AllocationEntry& entry : nodes) {
      placed.push_back({topology_.coordinates(entry.node), entry});
      for (std::size_t d = 0; d < dimensions; ++d) {
        low[d] = std::min(low[d], placed.back().at[d]);
        high[d] = std::max(high[d], placed.back().at[d]);
      }
    }
    std::size_t longest = 0;
    for (std::size_t d = 1; d < dimensions; ++d) {
      if (high[d] - low[d] > high[longest] - low[longest]) longest = d;
    }
    std::sort(placed.begin(), placed.end(), [longest](const Placed& a, const Placed& b) {
      return a.at[longest] != b.at[longest] ? a.at[longest] < b.at[longest] : a.at < b.at;
    });
    std::transform(placed.begin(), placed.end(), nodes.begin(),
                   [](const Placed& each) { return each.entry; });
  }

  const Topology& topology_;
  std::vector<std::size_t> sizes_;  // by component, as below
  std::vector<Allocation> regions_;
};

// What takes little time, and what takes more only where that leads nowhere.
bool is_tried(const Mapper& mapper, const MappingTask& task, bool found_much) {
  const bool ends_soon = mapper.turn == Turn::first || mapper.turn == Turn::both_lanes;
  return ends_soon && !mapper.uses_all_time && !(found_much && mapper.seconds != nullptr) &&
         mapper.candidate(task);
}

// The best of what mappers find by themselves: to search on from there is for all components
// together, since loads of links are those of all of them.
Mapping place_in_region(const MappingTask& task) {
  constexpr double much = 0.5;  // of list order
  const auto cost_of = [&task](const Mapping& mapping) {
    return evaluate_distances(task.graph, task.topology, task.outages, mapping).hop_bytes;
  };
  Mapping best = map_linear(task);
  const double linear = cost_of(best);
  double least = linear;
  for (const Mapper* mapper : mapper_registry()) {
    if (!is_tried(*mapper, task, least < much * linear)) continue;
    if (task.deadline.passed()) break;
    Mapping mapping = mapper->map(task);
    const double cost = cost_of(mapping);
    if (cost >= least) continue;
    least = cost;
    best = std::move(mapping);
  }
  return best;
}

Mapping map_components(const MappingTask& task) {
  const Components components = find_components(task.graph);
  if (components.empty() || task.topology.grid() == nullptr) return map_linear(task);
  const Regions regions(task, components);
  Mapping mapping(task.graph.ranks());
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::vector<Rank>& ranks = components[i];
    const CommGraph traffic = traffic_within(task.graph, ranks);
    MappingTask own = task.on(regions.of(i)).with_traffic(traffic);
    own.needs = nullptr;  // of other ranks; the whole is mended
    own.seconds *= static_cast<double>(ranks.size()) / task.graph.ranks();
    const Mapping found = place_in_region(own);
    for (std::size_t at = 0; at < ranks.size(); ++at) mapping[ranks[at]] = found[at];
  }
  return mapping;
}

// Where graphs are cut in parts or groups, what falls apart is cut there first.
bool components_is_candidate(const MappingTask& task) {
  return task.topology.grid() != nullptr && !group_is_candidate(task) &&
         !find_components(task.graph).empty();
}

}  // namespace

extern constexpr Mapper kComponentsMapper{"components", map_components, components_is_candidate,
                                          Turn::both_lanes};

}  // namespace tofa
