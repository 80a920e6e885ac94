// SPDX-License-Identifier: BSD-3-Clause
// The entry point of placement: checks the request, runs the mapper and compares its answer with
// the default.
#include "tofa/place.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "mapping/mapper.hpp"
#include "mapping/need_seats.hpp"
#include "mapping/suspects.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

// The allocation without nodes that take no rank. Throws when it cannot hold the ranks.
Allocation usable(const Allocation& allocation, const Topology& topology, Rank ranks) {
  Allocation result;
  std::vector<bool> seen(topology.nodes());
  std::uint64_t slots = 0;
  for (const NodeSlots& entry : allocation) {
    if (entry.node >= topology.nodes()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("the allocation names node {}, but the topology has {} nodes",
                              entry.node, topology.nodes()));
    }
    if (seen[entry.node]) {
      throw Error(
          ErrorKind::bad_input,
          fmt::format("node \"{}\" is twice in the allocation; name it once, with all its slots",
                      topology.name(entry.node)));
    }
    seen[entry.node] = true;
    slots += entry.slots;
    if (entry.slots > 0) result.push_back(entry);
  }
  if (slots < ranks) {
    throw Error(
        ErrorKind::unmet,
        fmt::format(
            "{} ranks need as many slots, but the {} nodes of the allocation have {}; add nodes or "
            "slots per node",
            ranks, allocation.size(), slots));
  }
  return result;
}

// What it takes to evaluate the last mapping, the answer and the default, and to write them.
double closing_seconds(const CommGraph& graph, const Topology& topology) {
  return 1.2e-6 * static_cast<double>(graph.pairs()) + 4e-7 * topology.nodes();
}

// What remains of the time limit for work once the input has been read, by estimate: the clock
// would give a different mapping every time.
double budget(const CommGraph& graph, const Topology& topology, const PlaceOptions& options) {
  if (options.work_seconds) return *options.work_seconds;
  if (!options.started) return options.time_limit_seconds;
  const double reading =
      0.005 + 5e-7 * static_cast<double>(graph.pairs()) + 1e-6 * topology.nodes();
  return std::max(options.time_limit_seconds - reading, 0.3 * options.time_limit_seconds);
}

// Whether no node of the allocation is certain to fail, or none can be spared.
bool avoids_the_dead(const Allocation& allocation, const OutageMap& outages, Rank ranks) {
  const auto count_slots = [](const Allocation& nodes) {
    return std::accumulate(
        nodes.begin(), nodes.end(), std::uint64_t{0},
        [](std::uint64_t sum, const NodeSlots& entry) { return sum + entry.slots; });
  };
  return count_slots(without_suspects(allocation, outages, 1, ranks, nullptr)) ==
         count_slots(allocation);
}

MapperAnswer run_named(const std::string& name, const MappingTask& task) {
  if (name == "auto") return map_auto(task);
  for (const Mapper& mapper : mapper_registry()) {
    if (mapper.name != name) continue;
    const double start = task.trace.elapsed_seconds();
    MapperAnswer answer{run_mapper(mapper, task), mapper.name};
    const double seconds = task.trace.elapsed_seconds() - start;
    const Metrics metrics = evaluate(task.graph, task.topology, task.outages, answer.mapping);
    task.trace.tried(name, metrics, seconds);
    task.trace.found(name, metrics);
    return answer;
  }
  throw Error(ErrorKind::bad_input, fmt::format("unknown mapper \"{}\"; known are {}", name,
                                                fmt::join(mapper_names(), ", ")));
}

// Runs the mapper on the nodes that are not certain to fail: a rank on such a node would never
// finish, whatever the objective says.
MapperAnswer answer_of(MappingTask task, const PlaceOptions& options,
                       const std::vector<ResourceNeed>& requests) {
  const Needs needs(requests, task.topology, task.graph.ranks());
  check_needs(needs, task.topology, task.allocation, task.graph.ranks());
  const Allocation nodes =
      without_suspects(task.allocation, task.outages, 1, task.graph.ranks(), &needs);
  const MappingTask on_nodes{task.graph, task.topology, task.outages,  nodes,      task.objective,
                             task.seed,  task.seconds,  task.deadline, task.trace, &needs};
  return run_named(options.mapper, on_nodes);
}

// Where any ranks may use a resource, those that the placement would have near it do: place as if
// the request were not there, name the ranks, place again.
MapperAnswer answer_of(MappingTask task, const PlaceOptions& options) {
  const auto asks_for_any = [](const ResourceNeed& need) { return need.any > 0; };
  if (std::none_of(options.needs.begin(), options.needs.end(), asks_for_any))
    return answer_of(task, options, options.needs);
  constexpr double first_share = 0.4;
  const double limit = task.seconds;
  task.seconds = limit * first_share;
  const MapperAnswer first = answer_of(task, options, options.needs);
  task.seconds = limit * (1 - first_share);
  return answer_of(task, options,
                   name_ranks(options.needs, first.mapping, task.topology, task.allocation));
}

}  // namespace

Mapping default_mapping(const Topology& topology, const Allocation& allocation, Rank ranks) {
  return linear_mapping(usable(allocation, topology, ranks), ranks);
}

Placement place(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                const Allocation& allocation, const PlaceOptions& options) {
  if (graph.ranks() == 0) throw Error(ErrorKind::bad_input, "there are no ranks to place");
  Trace trace(options);
  const Allocation all = usable(allocation, topology, graph.ranks());
  Placement placement;
  placement.linear = evaluate(graph, topology, outages, linear_mapping(all, graph.ranks()));
  placement.linear_cost = objective_value(options.objective, placement.linear);
  trace.begin(placement.linear,
              options.needs.empty() && avoids_the_dead(all, outages, graph.ranks()));
  const double closing = closing_seconds(graph, topology);
  const MappingTask task{graph,
                         topology,
                         outages,
                         all,
                         options.objective,
                         options.seed,
                         budget(graph, topology, options) - closing,
                         Deadline(options.time_limit_seconds - closing, trace.limit_start(),
                                  options.progress ? &trace : nullptr),
                         trace};
  MapperAnswer answer = answer_of(task, options);
  placement.mapping = std::move(answer.mapping);
  placement.mapper = answer.origin;
  placement.out_of_time = task.deadline.passed();
  placement.chosen = evaluate(graph, topology, outages, placement.mapping);
  placement.chosen_cost = objective_value(options.objective, placement.chosen);
  trace.chose(placement.mapper, placement.chosen);
  trace.write_to(placement);
  placement.elapsed_seconds = trace.elapsed_seconds();
  return placement;
}

}  // namespace tofa
