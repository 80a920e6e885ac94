// SPDX-License-Identifier: BSD-3-Clause
// See reorder.h: finds the network, places the declared graph on the hosts of the processes, and
// keeps the result where it has fewer hop-bytes than the ranks as they are.
#include "reorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "slurm_client.hpp"
#include "tofa/error.hpp"
#include "tofa/inputs.hpp"
#include "tofa/place.hpp"
#include "tofa/settings.hpp"

namespace tofa::topo {
namespace {

bool given(const char* text) {
  return text != nullptr && *text != '\0';
}

void set(PlacementSettings& settings, const char* key, const char* value) {
  if (!given(value)) return;
  try {
    find_setting(key, FrontEnd::mapper)->set(settings, value);
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_input, fmt::format("topo_tofa_{}: {}", key, error.what()));
  }
}

PlacementSettings read_settings(const tofa_reorder_task& task) {
  PlacementSettings settings;
  settings.objective = "hop-bytes";
  set(settings, "topology", task.topology);
  set(settings, "effort", task.effort);
  set(settings, "time_limit", task.time_limit);
  return settings;
}

// Each once, in the order of the processes.
std::vector<std::string> hosts_of(const tofa_reorder_task& task) {
  std::map<std::string, bool> seen;
  std::vector<std::string> hosts;
  for (int i = 0; i < task.processes; ++i) {
    if (!given(task.hosts[i])) {
      throw Error(ErrorKind::unavailable,
                  fmt::format("the launcher does not tell the host of rank {}", i));
    }
    if (seen.emplace(task.hosts[i], true).second) hosts.emplace_back(task.hosts[i]);
  }
  return hosts;
}

// What other launches would warn of and go on without is a reason to leave ranks as they are.
NetworkInput read_network(const tofa_reorder_task& task, const PlacementSettings& settings,
                          const std::vector<std::string>& hosts) {
  InputRequest request = input_request(settings);
  request.nodes = hosts;
  if (task.component_dir != nullptr)
    request.query_directory = std::string(task.component_dir) + "/../../bin";
  if (std::getenv("SLURM_JOB_ID") != nullptr) request.manager = slurm::resource_manager();
  InputNotes notes(Leniency::command);
  NetworkInput network = InputReader(std::move(request), notes).network();
  if (!notes.warnings().empty()) throw Error(ErrorKind::unmet, notes.warnings().front());
  return network;
}

Node find_host(const Topology& topology, const std::string& host) {
  const auto node = topology.find(host);
  if (node) return *node;
  throw Error(ErrorKind::unmet,
              fmt::format("host \"{}\" is not in the topology; add it to the file (in `nodes` or "
                          "as [[node]])",
                          host));
}

// The node that each process runs on.
Mapping locate(const tofa_reorder_task& task, const std::vector<std::string>& hosts,
               const Topology& topology) {
  std::map<std::string, Node> node_of;
  for (const std::string& host : hosts) node_of[host] = find_host(topology, host);
  Mapping mapping;
  for (int i = 0; i < task.processes; ++i) mapping.push_back(node_of.at(task.hosts[i]));
  return mapping;
}

// A slot for each process, nodes in the order of the processes.
Allocation slots_of(const Mapping& whereabouts) {
  Allocation allocation;
  std::map<Node, std::size_t> entry_of;
  for (const Node node : whereabouts) {
    const auto [entry, is_new] = entry_of.emplace(node, allocation.size());
    if (is_new) allocation.push_back({node, 0});
    ++allocation[entry->second].slots;
  }
  return allocation;
}

CommGraph graph_of(const tofa_reorder_task& task) {
  if (task.nodes < 0 || task.nodes > task.processes) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{} nodes for {} processes", task.nodes, task.processes));
  }
  Traffic traffic;
  traffic.ranks = static_cast<Rank>(task.nodes);
  traffic.entries.reserve(task.edge_count);
  for (std::size_t i = 0; i < task.edge_count; ++i) {
    const tofa_edge& edge = task.edges[i];
    if (edge.from < 0 || edge.to < 0) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("an edge from {} to {} was declared", edge.from, edge.to));
    }
    if (edge.weight <= 0 || edge.from == edge.to) continue;  // no traffic
    traffic.entries.push_back({static_cast<Rank>(edge.from), static_cast<Rank>(edge.to),
                               static_cast<Bytes>(edge.weight)});
  }
  traffic.normalise();
  return CommGraph(traffic);
}

double hop_bytes(const CommGraph& graph, const Topology& topology, const Mapping& mapping) {
  double sum = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (edge.partner < rank) continue;
      sum += static_cast<double>(edge.bytes) * topology.hops(mapping[rank], mapping[edge.partner]);
    }
  }
  return sum;
}

// Gives each rank of the graph to a process on its node: to the one that has it already, if it is
// there, so that no more ranks change than must.
void assign(const Mapping& placed, const Mapping& whereabouts, int* new_rank_of) {
  constexpr int none = -1;
  const std::size_t processes = whereabouts.size();
  std::fill(new_rank_of, new_rank_of + processes, none);
  for (std::size_t rank = 0; rank < placed.size(); ++rank)
    if (placed[rank] == whereabouts[rank]) new_rank_of[rank] = static_cast<int>(rank);
  std::map<Node, std::vector<std::size_t>> free;  // the last one is taken first
  for (std::size_t process = processes; process-- > 0;)
    if (new_rank_of[process] == none) free[whereabouts[process]].push_back(process);
  for (std::size_t rank = 0; rank < placed.size(); ++rank) {
    if (placed[rank] == whereabouts[rank]) continue;
    std::vector<std::size_t>& here = free.at(placed[rank]);
    new_rank_of[here.back()] = static_cast<int>(rank);
    here.pop_back();
  }
  int next = static_cast<int>(placed.size());
  for (std::size_t process = 0; process < processes; ++process)
    if (new_rank_of[process] == none) new_rank_of[process] = next++;
}

struct Outcome {
  bool reordered = false;
  std::string told;
};

Outcome reorder(const tofa_reorder_task& task, int* new_rank_of) {
  const PlacementSettings settings = read_settings(task);
  const std::vector<std::string> hosts = hosts_of(task);
  if (hosts.size() < 2) return {false, "ranks stay: all processes are on one host"};
  const CommGraph graph = graph_of(task);
  if (graph.total_bytes() == 0) return {false, "ranks stay: no neighbours are declared"};
  const NetworkInput network = read_network(task, settings, hosts);
  const Topology& topology = *network.topology;
  const Mapping whereabouts = locate(task, hosts, topology);
  const double before = hop_bytes(graph, topology, whereabouts);
  if (before == 0) return {false, "ranks stay: all neighbours share hosts"};
  const Placement placement =
      place(graph, topology, OutageMap(), slots_of(whereabouts), place_options(settings));
  const double after = hop_bytes(graph, topology, placement.mapping);
  const std::string where = fmt::format("{} hosts, {}", hosts.size(), network.origin);
  const auto per_weight = [&graph](double sum) {
    return sum / static_cast<double>(graph.total_bytes());
  };
  if (!(after < before)) {
    return {false, fmt::format("ranks stay: no order has less than {:.3g} hops per weight ({})",
                               per_weight(before), where)};
  }
  assign(placement.mapping, whereabouts, new_rank_of);
  return {true,
          fmt::format("ranks reordered: {:.3g} hops per weight instead of {:.3g} ({}), in "
                      "{:.3f} s",
                      per_weight(after), per_weight(before), where, placement.elapsed_seconds)};
}

}  // namespace
}  // namespace tofa::topo

extern "C" bool tofa_reorder(const tofa_reorder_task* task, int* new_rank_of, char* told,
                             size_t told_size) {
  try {
    const auto outcome = tofa::topo::reorder(*task, new_rank_of);
    std::snprintf(told, told_size, "%s", outcome.told.c_str());
    return outcome.reordered;
  } catch (const std::exception& error) {
    std::snprintf(told, told_size, "ranks stay: %s", error.what());
  } catch (...) {
    std::snprintf(told, told_size, "ranks stay: unknown error");
  }
  return false;
}
