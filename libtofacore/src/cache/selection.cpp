// SPDX-License-Identifier: BSD-3-Clause
// What a choice of nodes depends on, and the choice, remembered or made: see placement_cache.hpp.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "base/fingerprint.hpp"
#include "tofa/placement_cache.hpp"
#include "tofa/select_nodes.hpp"

namespace tofa {
namespace {

// Changes when the files or the key mean something else.
constexpr std::uint64_t kVersion = 1;

void add(Fingerprint& key, const CommGraph& graph) {
  key.add(std::uint64_t{graph.ranks()});
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const auto partners = graph.partners(rank);
    key.add(std::uint64_t{partners.size()});
    for (const CommEdge& edge : partners)
      key.add(std::uint64_t{edge.partner}).add(edge.bytes).add(edge.sent);
  }
}

void add(Fingerprint& key, const OutageMap& outages, const Topology& topology) {
  for (Node node = 0; node < topology.nodes(); ++node) {
    if (outages.probability(node) == 0 && outages.own_probability(node) == 0) continue;
    key.add(std::uint64_t{node}).add(outages.probability(node)).add(outages.own_probability(node));
  }
}

void add(Fingerprint& key, const LinkCosts* costs) {
  if (costs == nullptr) return;
  key.add(measure_name(costs->rule().measure)).add(reduction_name(costs->rule().reduction));
  Link link = 0;
  for (const double cost : costs->costs()) {
    if (cost != 1) key.add(std::uint64_t{link}).add(cost);
    ++link;
  }
}

void add(Fingerprint& key, const PlaceOptions& options) {
  key.add(objective_name(options.objective)).add(options.mapper).add(options.abort_cost);
  key.add(options.seed).add(effort_name(options.effort)).add(options.time_limit_seconds);
  key.add(std::uint64_t{options.limit_was_given});
  const PlannedWork work = options.work.value_or(PlannedWork{-1});
  key.add(work.seconds).add(work.spare).add(work.more);
  key.add(std::uint64_t{options.needs.size()});
  for (const ResourceNeed& need : options.needs) {
    key.add(need.resource).add(std::uint64_t{need.any}).add(std::uint64_t{need.ranks.size()});
    for (const Rank rank : need.ranks) key.add(std::uint64_t{rank});
  }
}

// Whether the ranks fit where a file says that they go: these nodes, and no more than their slots.
bool fits(const Mapping& mapping, const Selection& selection) {
  if (mapping.size() != selection.graph.ranks()) return false;
  std::map<Node, unsigned> slots;
  for (const AllocationEntry& entry : selection.candidates) slots[entry.node] = entry.slots;
  return std::all_of(mapping.begin(), mapping.end(), [&slots](Node node) {
    const auto found = slots.find(node);
    return found != slots.end() && found->second-- > 0;
  });
}

Placement complete(KeptPlacement kept, const Selection& selection) {
  const PlaceOptions& options = selection.options;
  const auto costs_of = [&](const Mapping& mapping) {
    return evaluate(selection.graph, selection.topology, selection.outages, mapping,
                    options.abort_cost);
  };
  Placement placement;
  placement.chosen = costs_of(kept.mapping);
  placement.linear = costs_of(kept.by_default);
  placement.chosen_cost = objective_value(options.objective, placement.chosen, options.abort_cost);
  placement.linear_cost = objective_value(options.objective, placement.linear, options.abort_cost);
  placement.mapping = std::move(kept.mapping);
  placement.by_default = std::move(kept.by_default);
  placement.origin = std::move(kept.origin);
  placement.remembered = true;
  return placement;
}

}  // namespace

std::string selection_key(const Selection& selection, const std::string& program) {
  Fingerprint key;
  key.add(kVersion).add(program).add(selection.network);
  key.add(std::uint64_t{selection.topology.nodes()});
  add(key, selection.graph);
  key.add(std::uint64_t{selection.candidates.size()});
  for (const AllocationEntry& entry : selection.candidates)
    key.add(std::uint64_t{entry.node}).add(std::uint64_t{entry.slots});
  key.add(std::uint64_t{selection.node_count});
  add(key, selection.options);
  add(key, selection.outages, selection.topology);
  add(key, selection.topology.link_costs());
  return key.text();
}

std::string program_identity() {
  struct stat info {};
  if (::stat("/proc/self/exe", &info) != 0) return "";
  return fmt::format("{} {}.{:09}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

Placement select_nodes(const Selection& selection, const PlacementCache& cache) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const std::string key = selection_key(selection, program_identity());
  if (auto kept = cache.find(key);
      kept && fits(kept->mapping, selection) && fits(kept->by_default, selection)) {
    Placement placement = complete(std::move(*kept), selection);
    placement.elapsed_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return placement;
  }
  Placement placement = select_nodes(selection.graph, selection.topology, selection.outages,
                                     selection.candidates, selection.node_count, selection.options);
  if (!placement.out_of_time)
    cache.keep(key, {placement.mapping, placement.by_default, placement.origin});
  return placement;
}

}  // namespace tofa
