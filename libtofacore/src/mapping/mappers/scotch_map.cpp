// SPDX-License-Identifier: BSD-3-Clause
// SCOTCH as a mapper: wrappers that own its objects, the communication graph in its integers, the
// target architectures, and one call. SCOTCH's default strategy may put two ranks on a node;
// repair_slots mends that.
#include "mapping/mappers/scotch_map.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>

extern "C" {
#include <scotch.h>
}

#include "mapping/seats/seat_plan.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

// SCOTCH's own mesh and torus architectures stop at five dimensions.
constexpr std::size_t kMaxScotchDimensions = 5;

// Vertices of networks that SCOTCH is asked to cut in halves itself.
constexpr std::uint32_t kMaxDecomposed = 8192;

void check(int status, const char* call) {
  if (status != 0)
    throw Error(ErrorKind::unavailable, fmt::format("{} failed in the SCOTCH library", call));
}

template <typename Object, int (*Init)(Object*), void (*Exit)(Object*)>
class Owned {
 public:
  Owned() { check(Init(&object_), "an initialisation"); }
  ~Owned() { Exit(&object_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Object* get() { return &object_; }

 private:
  Object object_;
};

using ScotchGraph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using ScotchArch = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using ScotchStrat = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using ScotchContext = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;

// A graph as SCOTCH wants it. The arrays must outlive the SCOTCH_Graph built over them.
struct Arrays {
  std::vector<SCOTCH_Num> offsets{0};
  std::vector<SCOTCH_Num> targets;
  std::vector<SCOTCH_Num> loads;

  void build(SCOTCH_Graph* graph) {
    check(SCOTCH_graphBuild(graph, 0, static_cast<SCOTCH_Num>(offsets.size() - 1), offsets.data(),
                            offsets.data() + 1, nullptr, nullptr,
                            static_cast<SCOTCH_Num>(targets.size()), targets.data(), loads.data()),
          "SCOTCH_graphBuild");
  }
};

// SCOTCH adds loads up, multiplied by distances, in 32-bit integers: scale so that sums stay far
// below 2^31.
Arrays communication_arrays(const CommGraph& graph) {
  constexpr double most = 1U << 24U;
  const double scale =
      std::min(1.0, most / std::max(1.0, static_cast<double>(graph.total_bytes())));
  Arrays arrays;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      arrays.targets.push_back(static_cast<SCOTCH_Num>(partner));
      arrays.loads.push_back(
          std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(static_cast<double>(bytes) * scale)));
    }
    arrays.offsets.push_back(static_cast<SCOTCH_Num>(arrays.targets.size()));
  }
  return arrays;
}

// An architecture, how many terminals it has, and which of them each allocated node is.
struct Target {
  ScotchArch arch;
  std::size_t size = 0;
  std::vector<SCOTCH_Num> terminals;
};

void make_grid(const Topology& topology, const Grid& grid, const Allocation& allocation,
               Target& target) {
  std::vector<SCOTCH_Num> shape;
  for (const unsigned extent : grid.shape()) shape.push_back(static_cast<SCOTCH_Num>(extent));
  target.size = grid.positions();
  for (const auto& [node, slots] : allocation) {
    const std::uint32_t position = grid.position(topology.coordinates(node));
    target.terminals.push_back(static_cast<SCOTCH_Num>(position));
  }
  const auto make = topology.kind() == "mesh" ? SCOTCH_archMeshX : SCOTCH_archTorusX;
  check(make(target.arch.get(), static_cast<SCOTCH_Num>(shape.size()), shape.data()),
        "SCOTCH_archTorusX");
}

void make_tree(const Hierarchy& tree, const Allocation& allocation, Target& target) {
  std::vector<SCOTCH_Num> sizes;
  std::vector<SCOTCH_Num> costs;
  target.size = 1;
  for (std::size_t level = 0; level < tree.fan_out.size(); ++level) {
    target.size *= tree.fan_out[level];
    // A level that does not branch is none to SCOTCH.
    if (tree.fan_out[level] == 1) continue;
    sizes.push_back(static_cast<SCOTCH_Num>(tree.fan_out[level]));
    costs.push_back(static_cast<SCOTCH_Num>(tree.hops[level]));
  }
  for (const auto& [node, slots] : allocation) {
    target.terminals.push_back(static_cast<SCOTCH_Num>(tree.leaf[node]));
  }
  check(SCOTCH_archTleaf(target.arch.get(), static_cast<SCOTCH_Num>(sizes.size()), sizes.data(),
                         costs.data()),
        "SCOTCH_archTleaf");
}

// Virtual hosts are vertices without links.
bool has_virtual_hosts(const Topology& topology) {
  for (Node node = 0; node < topology.nodes(); ++node) {
    if (topology.host(node) != node) return true;
  }
  return false;
}

// Whether several nodes are in the same place, which SCOTCH has no architecture for.
bool shares_hosts(const Topology& topology, const Allocation& allocation) {
  std::vector<bool> seen(topology.nodes());
  return std::any_of(allocation.begin(), allocation.end(), [&](const AllocationEntry& entry) {
    const Node host = topology.host(entry.node);
    const bool twice = seen[host];
    seen[host] = true;
    return twice;
  });
}

// A graph that SCOTCH works on in one thread and with random numbers of its own: the same every
// time, whatever was asked before and however many cores there are.
class BoundGraph {
 public:
  BoundGraph(Arrays& arrays, std::uint64_t seed) {
    arrays.build(graph_.get());
    check(SCOTCH_contextOptionSetNum(context_.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1),
          "SCOTCH_context");
    check(SCOTCH_contextThreadSpawn(context_.get(), 1, nullptr), "SCOTCH_contextThreadSpawn");
    SCOTCH_contextRandomClone(context_.get());
    SCOTCH_contextRandomSeed(context_.get(), static_cast<SCOTCH_Num>(seed & 0x7fffffffU));
    SCOTCH_contextRandomReset(context_.get());
    check(SCOTCH_contextBindGraph(context_.get(), graph_.get(), bound_.get()),
          "SCOTCH_contextBindGraph");
  }
  SCOTCH_Graph* get() { return bound_.get(); }

 private:
  ScotchGraph graph_;
  ScotchContext context_;
  ScotchGraph bound_;
};

// Runs the mapping of the communication graph onto `target`; parts[rank] is a terminal of it.
std::vector<SCOTCH_Num> run(const MappingTask& task, SCOTCH_Arch* target) {
  Arrays arrays = communication_arrays(task.graph);
  BoundGraph graph(arrays, task.seed);
  ScotchStrat strategy;
  std::vector<SCOTCH_Num> parts(task.graph.ranks());
  check(SCOTCH_graphMap(graph.get(), target, strategy.get(), parts.data()), "SCOTCH_graphMap");
  return parts;
}

Mapping to_mapping(const std::vector<SCOTCH_Num>& parts, const MappingTask& task,
                   const Allocation& allocation) {
  Mapping mapping;
  mapping.reserve(parts.size());
  for (const SCOTCH_Num part : parts) {
    const bool valid = part >= 0 && static_cast<std::size_t>(part) < allocation.size();
    mapping.push_back(valid ? allocation[static_cast<std::size_t>(part)].node : kNoNode);
  }
  repair_slots(mapping, task.topology, allocation);
  return mapping;
}

Mapping map_onto(Target& target, const MappingTask& task, const Allocation& allocation) {
  // SCOTCH maps worse onto a sub-architecture than onto the whole, even when the two are the same.
  if (allocation.size() == target.size) {
    Allocation by_terminal(allocation.size());
    for (std::size_t entry = 0; entry < allocation.size(); ++entry) {
      by_terminal[static_cast<std::size_t>(target.terminals[entry])] = allocation[entry];
    }
    return to_mapping(run(task, target.arch.get()), task, by_terminal);
  }
  ScotchArch allowed;
  check(SCOTCH_archSub(allowed.get(), target.arch.get(),
                       static_cast<SCOTCH_Num>(target.terminals.size()), target.terminals.data()),
        "SCOTCH_archSub");
  return to_mapping(run(task, allowed.get()), task, allocation);
}

using LinkWeight = std::function<SCOTCH_Num(std::uint32_t vertex, std::uint32_t neighbour)>;

// The network: its vertices, and an edge between two that a link joins.
Arrays network_arrays(const Topology& topology, const LinkWeight& weight) {
  std::vector<std::vector<std::uint32_t>> neighbours(topology.vertices());
  for (Link link = 0; link < topology.links(); ++link) {
    neighbours[topology.link_source(link)].push_back(topology.link_target(link));
  }
  Arrays arrays;
  for (std::uint32_t vertex = 0; vertex < neighbours.size(); ++vertex) {
    std::vector<std::uint32_t>& row = neighbours[vertex];
    // SCOTCH allows one edge between two vertices.
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const std::uint32_t neighbour : row) {
      arrays.targets.push_back(static_cast<SCOTCH_Num>(neighbour));
      arrays.loads.push_back(weight(vertex, neighbour));
    }
    arrays.offsets.push_back(static_cast<SCOTCH_Num>(arrays.targets.size()));
  }
  return arrays;
}

// Onto what SCOTCH makes of the network itself, by cutting it in halves. Its terminals are the
// allocated nodes in their order.
Mapping map_onto_network(const MappingTask& task, const Allocation& allocation,
                         const LinkWeight& weight) {
  Arrays arrays = network_arrays(task.topology, weight);
  std::vector<SCOTCH_Num> terminals;
  for (const auto& [node, slots] : allocation) {
    terminals.push_back(static_cast<SCOTCH_Num>(node));
  }
  BoundGraph graph(arrays, 0);
  ScotchArch arch;
  const auto size = static_cast<SCOTCH_Num>(terminals.size());
  check(SCOTCH_archBuild2(arch.get(), graph.get(), size, terminals.data()), "SCOTCH_archBuild2");
  return to_mapping(run(task, arch.get()), task, allocation);
}

Arrays complete_graph(const MappingTask& task, const Allocation& allocation) {
  const FaultWeights weights(task.topology, task.outages);
  Arrays arrays;
  for (const auto& [from, slots] : allocation) {
    for (std::size_t entry = 0; entry < allocation.size(); ++entry) {
      const Node to = allocation[entry].node;
      if (from == to) continue;
      // A route may touch a faulty node one way only; SCOTCH wants one weight for both.
      const double weight = (weights.weight(from, to) + weights.weight(to, from)) / 2;
      arrays.targets.push_back(static_cast<SCOTCH_Num>(entry));
      arrays.loads.push_back(
          std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(weight / task.topology.hop_cost())));
    }
    arrays.offsets.push_back(static_cast<SCOTCH_Num>(arrays.targets.size()));
  }
  return arrays;
}

}  // namespace

bool scotch_cuts_network(const MappingTask& task, const Allocation& allocation) {
  const Grid* grid = task.topology.grid();
  const bool apart = !shares_hosts(task.topology, allocation);
  const bool known = (grid != nullptr && grid->dimensions() <= kMaxScotchDimensions) ||
                     (grid == nullptr && task.topology.hierarchy());
  return !(apart && known) && !has_virtual_hosts(task.topology) &&
         task.topology.vertices() <= kMaxDecomposed && allocation.size() <= kMaxCompleteGraph;
}

Mapping scotch_onto_topology(const MappingTask& task, const Allocation& allocation) {
  // SCOTCH maps nothing and onto one node badly; both need no search.
  if (task.graph.ranks() == 0 || allocation.size() == 1) {
    return Mapping(task.graph.ranks(), allocation.front().node);
  }
  Target target;
  const Grid* grid = task.topology.grid();
  const bool apart = !shares_hosts(task.topology, allocation);
  if (apart && grid != nullptr && grid->dimensions() <= kMaxScotchDimensions) {
    make_grid(task.topology, *grid, allocation, target);
    return map_onto(target, task, allocation);
  }
  const auto tree = apart ? task.topology.hierarchy() : std::nullopt;
  if (tree) {
    make_tree(*tree, allocation, target);
    return map_onto(target, task, allocation);
  }
  if (scotch_cuts_network(task, allocation)) {
    return map_onto_network(task, allocation, [](auto, auto) { return SCOTCH_Num{1}; });
  }
  check(SCOTCH_archCmplt(target.arch.get(), static_cast<SCOTCH_Num>(allocation.size())),
        "SCOTCH_archCmplt");
  return to_mapping(run(task, target.arch.get()), task, allocation);
}

Mapping scotch_onto_fault_weights(const MappingTask& task, const Allocation& allocation) {
  if (task.graph.ranks() == 0 || allocation.size() == 1) {
    return Mapping(task.graph.ranks(), allocation.front().node);
  }
  if (allocation.size() > kMaxCompleteGraph && !has_virtual_hosts(task.topology)) {
    const auto is_suspect = [&task](std::uint32_t vertex) {
      return vertex < task.topology.nodes() && task.outages.suspect(vertex);
    };
    return map_onto_network(task, allocation, [&](std::uint32_t a, std::uint32_t b) {
      return static_cast<SCOTCH_Num>(is_suspect(a) || is_suspect(b) ? 1 + FaultWeights::kFaultFactor
                                                                    : 1);
    });
  }
  Arrays arrays = complete_graph(task, allocation);
  BoundGraph graph(arrays, 0);
  ScotchStrat strategy;
  ScotchArch arch;
  check(SCOTCH_archBuild(arch.get(), graph.get(), 0, nullptr, strategy.get()), "SCOTCH_archBuild");
  return to_mapping(run(task, arch.get()), task, allocation);
}

}  // namespace tofa
