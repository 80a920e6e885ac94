// SPDX-License-Identifier: BSD-3-Clause
// SCOTCH as a mapper: wrappers that own its objects, the communication graph in its integers, the
// target architectures, and one call. SCOTCH's default strategy may put two ranks on a node;
// repair_slots mends that.
#include "mapping/scotch_map.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>

extern "C" {
#include <scotch.h>
}

#include "mapping/seats.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

// SCOTCH's own mesh and torus architectures stop at five dimensions.
constexpr std::size_t kMaxScotchDimensions = 5;

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
    for (const auto& [partner, bytes] : graph.partners(rank)) {
      arrays.targets.push_back(static_cast<SCOTCH_Num>(partner));
      arrays.loads.push_back(
          std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(static_cast<double>(bytes) * scale)));
    }
    arrays.offsets.push_back(static_cast<SCOTCH_Num>(arrays.targets.size()));
  }
  return arrays;
}

// The whole grid, and which terminal of it each allocated node is.
struct GridTarget {
  std::vector<SCOTCH_Num> shape;
  std::vector<SCOTCH_Num> terminals;
};

GridTarget grid_target(const Topology& topology, const Allocation& allocation) {
  GridTarget target;
  for (const unsigned extent : topology.shape())
    target.shape.push_back(static_cast<SCOTCH_Num>(extent));
  for (const auto& [node, slots] : allocation) {
    const auto at = topology.coordinates(node);
    SCOTCH_Num terminal = 0;
    for (std::size_t d = at.size(); d-- > 0;) {
      terminal = terminal * target.shape[d] + static_cast<SCOTCH_Num>(at[d]);
    }
    target.terminals.push_back(terminal);
  }
  return target;
}

// Runs the mapping of the communication graph onto `target`; parts[rank] is a terminal of it.
std::vector<SCOTCH_Num> run(const MappingTask& task, SCOTCH_Arch* target) {
  Arrays arrays = communication_arrays(task.graph);
  ScotchGraph graph;
  arrays.build(graph.get());
  ScotchContext context;
  check(SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1),
        "SCOTCH_context");
  check(SCOTCH_contextThreadSpawn(context.get(), 1, nullptr), "SCOTCH_contextThreadSpawn");
  SCOTCH_contextRandomClone(context.get());
  SCOTCH_contextRandomSeed(context.get(), static_cast<SCOTCH_Num>(task.seed & 0x7fffffffU));
  SCOTCH_contextRandomReset(context.get());
  ScotchGraph bound;
  check(SCOTCH_contextBindGraph(context.get(), graph.get(), bound.get()),
        "SCOTCH_contextBindGraph");
  ScotchStrat strategy;
  std::vector<SCOTCH_Num> parts(task.graph.ranks());
  check(SCOTCH_graphMap(bound.get(), target, strategy.get(), parts.data()), "SCOTCH_graphMap");
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

}  // namespace

Mapping scotch_onto_topology(const MappingTask& task, const Allocation& allocation) {
  // SCOTCH maps nothing and onto one node badly; both need no search.
  if (task.graph.ranks() == 0 || allocation.size() == 1) {
    return Mapping(task.graph.ranks(), allocation.front().node);
  }
  const std::size_t dimensions = task.topology.shape().size();
  ScotchArch whole;
  if (dimensions == 0 || dimensions > kMaxScotchDimensions) {
    check(SCOTCH_archCmplt(whole.get(), static_cast<SCOTCH_Num>(allocation.size())),
          "SCOTCH_archCmplt");
    return to_mapping(run(task, whole.get()), task, allocation);
  }
  GridTarget target = grid_target(task.topology, allocation);
  const auto make = task.topology.kind() == "mesh" ? SCOTCH_archMeshX : SCOTCH_archTorusX;
  check(make(whole.get(), static_cast<SCOTCH_Num>(dimensions), target.shape.data()),
        "SCOTCH_archTorusX");
  // SCOTCH maps worse onto a sub-architecture than onto the whole, even when the two are the same.
  if (allocation.size() == task.topology.vertices()) {
    Allocation by_terminal(allocation.size());
    for (std::size_t place = 0; place < allocation.size(); ++place) {
      by_terminal[static_cast<std::size_t>(target.terminals[place])] = allocation[place];
    }
    return to_mapping(run(task, whole.get()), task, by_terminal);
  }
  ScotchArch allowed;
  check(SCOTCH_archSub(allowed.get(), whole.get(), static_cast<SCOTCH_Num>(target.terminals.size()),
                       target.terminals.data()),
        "SCOTCH_archSub");
  return to_mapping(run(task, allowed.get()), task, allocation);
}

Mapping scotch_onto_complete_graph(const MappingTask& task, const Allocation& allocation) {
  if (allocation.size() > kMaxCompleteGraph) {
    throw Error(
        ErrorKind::unmet,
        fmt::format(
            "mapper tofa builds a complete graph of the allocated nodes; {} are more than {}; "
            "use mapper auto",
            allocation.size(), kMaxCompleteGraph));
  }
  if (task.graph.ranks() == 0 || allocation.size() == 1) {
    return Mapping(task.graph.ranks(), allocation.front().node);
  }
  const FaultWeights weights(task.topology, task.outages);
  Arrays arrays;
  for (const auto& [from, slots] : allocation) {
    for (std::size_t place = 0; place < allocation.size(); ++place) {
      const Node to = allocation[place].node;
      if (from == to) continue;
      // A route may touch a faulty node one way only; SCOTCH wants one weight for both.
      const double weight = (weights.weight(from, to) + weights.weight(to, from)) / 2;
      arrays.targets.push_back(static_cast<SCOTCH_Num>(place));
      arrays.loads.push_back(
          std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(weight / task.topology.hop_cost())));
    }
    arrays.offsets.push_back(static_cast<SCOTCH_Num>(arrays.targets.size()));
  }
  ScotchGraph graph;
  arrays.build(graph.get());
  ScotchStrat strategy;
  ScotchArch arch;
  // Building the target takes no context: it draws from SCOTCH's own random state, which earlier
  // calls have moved.
  SCOTCH_randomReset();
  check(SCOTCH_archBuild(arch.get(), graph.get(), 0, nullptr, strategy.get()), "SCOTCH_archBuild");
  return to_mapping(run(task, arch.get()), task, allocation);
}

}  // namespace tofa
