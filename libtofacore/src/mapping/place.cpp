// SPDX-License-Identifier: BSD-3-Clause
// The entry point of placement: checks the request, runs the mapper and tells how its answer
// compares with the default.
#include "tofa/place.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/lanes.hpp"
#include "mapping/allocation.hpp"
#include "mapping/mapper.hpp"
#include "mapping/search/work_plan.hpp"
#include "mapping/seats/need_seats.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

// The nodes that ranks may go on, with slots for all of them.
Allocation nodes_for(Rank ranks, const Allocation& allocation, const Topology& topology) {
  Allocation nodes = usable_nodes(allocation, topology);
  check_slots(allocation, ranks);
  return nodes;
}

MapperAnswer run_named(const std::string& name, const MappingTask& task) {
  if (name == "auto") {
    MapperAnswer answer = map_auto(task);
    if (answer.metrics.values.empty()) {
      answer.metrics =
          evaluate(task.graph, task.topology, task.outages, answer.mapping, task.abort_cost);
    }
    return answer;
  }
  const Mapper* mapper = find_entry(mapper_registry(), name);
  if (mapper == nullptr) {
    throw Error(ErrorKind::bad_input,
                fmt::format("unknown mapper \"{}\"; known are {}{}", name,
                            fmt::join(mapper_names(), ", "), did_you_mean(name, mapper_names())));
  }
  const double start = task.trace.elapsed_seconds();
  Mapping mapping = run_mapper(*mapper, task);
  const double seconds = task.trace.elapsed_seconds() - start;
  const Metrics metrics =
      evaluate(task.graph, task.topology, task.outages, mapping, task.abort_cost);
  task.trace.tried(name, metrics, seconds);
  task.trace.found(name, metrics);
  return {std::move(mapping), mapper->name, metrics};
}

// Runs the mapper on the nodes that are not certain to fail: a rank on such a node would never
// finish, whatever the objective says.
MapperAnswer answer_of(MappingTask task, const PlaceOptions& options,
                       const std::vector<ResourceNeed>& requests) {
  const Needs needs(requests, task.topology, task.graph.ranks());
  check_needs(needs, task.topology, task.allocation, task.graph.ranks());
  task.needs = &needs;
  if (needs.empty() && avoids_the_dead(task.allocation, task.outages, task.graph.ranks()))
    return run_named(options.mapper, task);
  const Allocation nodes = without_dead(task.allocation, task.outages, task.graph.ranks(), &needs);
  return run_named(options.mapper, task.on(nodes));
}

// Where any ranks may use a resource, those that the placement would have near it do: place as if
// the request were not there, name the ranks, place again.
MapperAnswer answer_of(MappingTask task, const PlaceOptions& options) {
  const auto asks_for_any = [](const ResourceNeed& need) { return need.any > 0; };
  if (std::none_of(options.needs.begin(), options.needs.end(), asks_for_any))
    return answer_of(task, options, options.needs);
  constexpr double first_share = 0.4;
  const PlannedWork work{task.seconds, task.spare_seconds, task.more_seconds};
  task.seconds = first_share * work.seconds;
  task.spare_seconds = 0;
  task.more_seconds = 0;
  const MapperAnswer first = answer_of(task, options, options.needs);
  task.seconds = (1 - first_share) * work.seconds;
  task.spare_seconds = work.spare;
  task.more_seconds = work.more;
  return answer_of(task, options,
                   name_ranks(options.needs, first.mapping, task.topology, task.allocation));
}

}  // namespace

Mapping default_mapping(const Topology& topology, const Allocation& allocation, Rank ranks) {
  return linear_mapping(nodes_for(ranks, allocation, topology), ranks);
}

Placement place(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                const Allocation& allocation, const PlaceOptions& options) {
  if (graph.ranks() == 0) throw Error(ErrorKind::bad_input, "there are no ranks to place");
  const KeptLanes lanes;
  Trace trace(options);
  const Allocation all = nodes_for(graph.ranks(), allocation, topology);
  Placement placement;
  placement.by_default = linear_mapping(all, graph.ranks());
  const double start = trace.elapsed_seconds();
  placement.linear = evaluate(graph, topology, outages, placement.by_default, options.abort_cost);
  const double evaluating = trace.elapsed_seconds() - start;
  placement.linear_cost = objective_value(options.objective, placement.linear, options.abort_cost);
  trace.begin(placement.linear,
              options.needs.empty() && avoids_the_dead(all, outages, graph.ranks()));
  const PlannedWork work = options.work.value_or(planned_work(graph, options));
  const double closing = closing_seconds(graph, topology, evaluating);
  const MappingTask task{.graph = graph,
                         .topology = topology,
                         .outages = outages,
                         .allocation = all,
                         .objective = options.objective,
                         .seed = options.seed,
                         .seconds = work.seconds,
                         .deadline = trace.deadline(options.time_limit_seconds - closing),
                         .trace = trace,
                         .abort_cost = options.abort_cost,
                         .spare_seconds = work.spare,
                         .more_seconds = work.more,
                         .linear = &placement.linear};
  MapperAnswer answer = answer_of(task, options);
  placement.mapping = std::move(answer.mapping);
  placement.origin = answer.origin;
  placement.out_of_time = task.deadline.passed() || trace.hurried();
  placement.chosen = std::move(answer.metrics);
  placement.chosen_cost = objective_value(options.objective, placement.chosen, options.abort_cost);
  trace.chose(placement.origin, placement.chosen);
  trace.write_to(placement);
  placement.elapsed_seconds = trace.elapsed_seconds();
  return placement;
}

}  // namespace tofa
