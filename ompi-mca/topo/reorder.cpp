// SPDX-License-Identifier: BSD-3-Clause
// See reorder.h: finds the network, places the declared graph on the hosts of the processes, and
// keeps the result where it is better than the ranks as they are.
#include "reorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>
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

// What an order costs: in bytes times hops, and in the time that is predicted of it.
struct Cost {
  double hop_bytes;
  double time;
};

Cost cost_of(const CommGraph& graph, const Topology& topology, const Mapping& mapping) {
  const Metrics metrics = evaluate(graph, topology, OutageMap(), mapping);
  return {metrics.hop_bytes, communication_time(metrics)};
}

// Predictions of orders that are all good are wrong by that much (bench/topologies.sh).
constexpr double kWorthwhile = 0.9;

bool is_better(const Cost& a, const Cost& b) {
  return a.hop_bytes <= b.hop_bytes && a.time < kWorthwhile * b.time;
}

struct Order {
  Mapping mapping;
  Cost cost;
  double seconds;
};

// One that is better; nothing where none is found. What takes the least time usually has
// few hops as well, and what has the fewest hops may put them all on the same links.
std::optional<Order> find_order(const CommGraph& graph, const Topology& topology,
                                const Mapping& whereabouts, const Cost& before,
                                const PlacementSettings& settings) {
  const Allocation slots = slots_of(whereabouts);
  double seconds = 0;
  PlaceOptions options = place_options(settings);
  options.time_limit_seconds /= 2;
  for (const char* objective : {"completion-time", "hop-bytes"}) {
    options.objective = parse_objective(objective);
    Placement placement = place(graph, topology, OutageMap(), slots, options);
    seconds += placement.elapsed_seconds;
    const Cost cost = cost_of(graph, topology, placement.mapping);
    if (is_better(cost, before)) return Order{std::move(placement.mapping), cost, seconds};
  }
  return {};
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
  const Mapping by_rank(whereabouts.begin(), whereabouts.begin() + task.nodes);
  const Cost before = cost_of(graph, topology, by_rank);
  if (before.hop_bytes == 0) return {false, "ranks stay: all neighbours share hosts"};
  const auto order = find_order(graph, topology, whereabouts, before, settings);
  const std::string where = fmt::format("{} hosts, {}", hosts.size(), network.origin);
  const double weight = static_cast<double>(graph.total_bytes());
  if (!order) {
    return {false, fmt::format("ranks stay: none of the orders tried takes a tenth less time, as "
                               "predicted; {:.3g} hops per weight ({})",
                               before.hop_bytes / weight, where)};
  }
  assign(order->mapping, whereabouts, new_rank_of);
  return {true, fmt::format("ranks reordered: {:.3g} hops per weight instead of {:.3g}, {:.0f} % "
                            "of the predicted time ({}), in {:.3f} s",
                            order->cost.hop_bytes / weight, before.hop_bytes / weight,
                            100 * order->cost.time / before.time, where, order->seconds)};
}

}  // namespace
}  // namespace tofa::topo

namespace {

// The program may have asked to be ended by what is harmless here, as a division by zero.
class HarmlessArithmetic {
 public:
  HarmlessArithmetic() { std::feholdexcept(&before_); }
  ~HarmlessArithmetic() { std::fesetenv(&before_); }
  HarmlessArithmetic(const HarmlessArithmetic&) = delete;
  HarmlessArithmetic& operator=(const HarmlessArithmetic&) = delete;

 private:
  std::fenv_t before_ = {};
};

}  // namespace

extern "C" bool tofa_reorder(const tofa_reorder_task* task, int* new_rank_of, char* told,
                             size_t told_size) {
  const HarmlessArithmetic arithmetic;
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
