// SPDX-License-Identifier: BSD-3-Clause
// `tofa select`: which of the idle nodes a job should ask for, and where its ranks go on them. The
// nodes are those that a placement of its ranks on all idle nodes would use: close together, in the
// shape of its traffic, and none that is likely to fail.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "common_options.hpp"
#include "report.hpp"
#include "slurm_client.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"

namespace tofa::cli {
namespace {

struct SelectOptions {
  PlacementRequest request;
  bool slots_given = false;
  Rank ranks = 0;
  std::string partition;
  std::string excluded;
  unsigned cpus_per_task = 1;
  unsigned ntasks_per_node = 0;  // no limit
  unsigned node_count = 0;       // as many as are good
  std::string format = "nodes";
  bool json = false;
};

// A node to choose from, by the name that who asks knows it by; the topology may add a domain.
struct Host {
  std::string name;
  unsigned slots = 0;
};

struct Candidates {
  Allocation nodes;
  std::map<Node, std::string> name_of;
};

// Without traffic, ranks are taken to talk to their neighbours in rank order.
CommGraph graph_of(const SelectOptions& options) {
  if (options.request.inputs.graph.empty()) {
    if (options.ranks == 0) {
      throw Error(ErrorKind::bad_input, "how many ranks? Name their number (-n) or a graph");
    }
    return CommGraph::neighbours_in_rank_order(options.ranks);
  }
  CommGraph graph = load_graph(options.request.inputs);
  if (options.ranks != 0 && options.ranks != graph.ranks()) {
    throw Error(ErrorKind::bad_input, options.request.inputs.graph, 0,
                fmt::format("has {} ranks, not {}; profile the application with that many, or "
                            "leave -n out",
                            graph.ranks(), options.ranks));
  }
  return graph;
}

// A host that is named twice has twice the slots.
std::vector<Host> named_hosts(const SelectOptions& options) {
  std::vector<Host> hosts;
  std::map<std::string, std::size_t> place;
  for (const std::string& name : expand_hostlist(options.request.nodes)) {
    const auto [entry, is_new] = place.emplace(name, hosts.size());
    if (is_new) hosts.push_back({name, 0});
    hosts[entry->second].slots += options.request.slots;
  }
  return hosts;
}

// A node takes as many ranks as its processors allow, unless the number of slots is given.
std::vector<Host> idle_hosts(const SelectOptions& options) {
  std::vector<Host> hosts;
  try {
    for (const slurm::SlurmNode& node : slurm::find_idle_nodes(options.partition)) {
      hosts.push_back({node.name, options.slots_given ? options.request.slots
                                                      : node.cpus / options.cpus_per_task});
    }
  } catch (const Error& error) {
    throw Error(error.kind(),
                fmt::format("{}; name the nodes to choose from (--nodes)", error.what()));
  }
  return hosts;
}

std::vector<Host> find_hosts(const SelectOptions& options) {
  std::vector<Host> hosts =
      options.request.nodes.empty() ? idle_hosts(options) : named_hosts(options);
  const auto list = expand_hostlist(options.excluded);
  const std::set<std::string> excluded(list.begin(), list.end());
  if (options.ntasks_per_node > 0) {
    for (Host& host : hosts) host.slots = std::min(host.slots, options.ntasks_per_node);
  }
  std::erase_if(hosts, [&excluded](const Host& host) {
    return host.slots == 0 || excluded.contains(host.name);
  });
  if (hosts.empty()) {
    throw Error(ErrorKind::unmet, options.request.nodes.empty()
                                      ? "Slurm says of no node that it is idle and takes a rank"
                                      : "no node is left to choose from; name others (--nodes)");
  }
  return hosts;
}

// Without a topology of the site, one that has the nodes to choose from.
std::unique_ptr<Topology> topology_of(const SelectOptions& options,
                                      const std::vector<Host>& hosts) {
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const Host& host : hosts) names.push_back(host.name);
  PlacementRequest request = options.request;
  request.nodes = compress_hostlist(names);
  return topology_for(request);
}

// Slurm's nodes that the topology lacks are left out; named ones must be there.
Candidates make_candidates(const SelectOptions& options, const std::vector<Host>& hosts,
                           const Topology& topology) {
  Candidates candidates;
  for (const Host& host : hosts) {
    const auto node = topology.find(host.name);
    if (!node && !options.request.nodes.empty()) {
      throw Error(ErrorKind::unmet,
                  fmt::format("node \"{}\" of --nodes is not in the topology ({}); add it there or "
                              "leave it out",
                              host.name, topology.describe()));
    }
    if (node && candidates.name_of.emplace(*node, host.name).second) {
      candidates.nodes.push_back({*node, host.slots});
    }
  }
  if (candidates.nodes.empty()) {
    throw Error(ErrorKind::unmet,
                "none of Slurm's idle nodes is in the topology; name the nodes to choose from "
                "(--nodes)");
  }
  return candidates;
}

std::size_t total_slots(const Allocation& nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), std::size_t{0},
                         [](std::size_t sum, const NodeSlots& node) { return sum + node.slots; });
}

Allocation with_at_most(Allocation nodes, unsigned slots) {
  for (NodeSlots& node : nodes) node.slots = std::min(node.slots, slots);
  return nodes;
}

// As many slots in all as ranks, as evenly as the nodes allow: every placement uses every node.
Allocation spread(const Allocation& nodes, Rank ranks) {
  if (total_slots(nodes) == ranks) return nodes;
  unsigned level = 0;
  while (total_slots(with_at_most(nodes, level + 1)) <= ranks) ++level;
  Allocation even = with_at_most(nodes, level);
  std::size_t rest = ranks - total_slots(even);
  for (std::size_t i = 0; rest > 0; ++i) {
    if (even[i].slots == nodes[i].slots) continue;
    ++even[i].slots;
    --rest;
  }
  return even;
}

// The nodes that got most ranks, in the order of the candidates.
Allocation busiest(const Allocation& nodes, const Mapping& mapping, std::size_t count) {
  std::map<Node, unsigned> ranks_on;
  for (const Node node : mapping) ++ranks_on[node];
  std::vector<Node> order;
  for (const NodeSlots& entry : nodes) order.push_back(entry.node);
  std::stable_sort(order.begin(), order.end(),
                   [&ranks_on](Node a, Node b) { return ranks_on[a] > ranks_on[b]; });
  const std::set<Node> best(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  Allocation chosen = nodes;
  std::erase_if(chosen, [&best](const NodeSlots& entry) { return !best.contains(entry.node); });
  return chosen;
}

// Exactly so many nodes, each with a rank at least. A placement with few ranks a node shows which
// of them are good.
Allocation narrow(PlacementInputs& inputs, const PlacementRequest& request, unsigned count) {
  const Rank ranks = inputs.graph.ranks();
  const unsigned most = (ranks - 1) / count + 1;
  Allocation pool = inputs.allocation;
  std::erase_if(pool, [most](const NodeSlots& node) { return node.slots < most; });
  if (pool.size() < count) pool = inputs.allocation;
  if (pool.size() > count) {
    inputs.allocation = with_at_most(pool, ranks / count);
    if (total_slots(inputs.allocation) < ranks) inputs.allocation = with_at_most(pool, most);
    if (total_slots(inputs.allocation) < ranks) inputs.allocation = pool;
    pool = busiest(pool, place_with_progress(inputs, request).mapping, count);
  }
  if (pool.size() < count || total_slots(pool) < ranks) {
    throw Error(ErrorKind::unmet,
                fmt::format("{} ranks do not fit on {} nodes (--node-count) of the {} to choose "
                            "from, which take {}",
                            ranks, count, pool.size(), total_slots(pool)));
  }
  return spread(pool, ranks);
}

Placement choose(PlacementInputs& inputs, PlacementRequest request, unsigned node_count) {
  if (node_count > 0) {
    request.place.time_limit_seconds /= 2;
    inputs.allocation = narrow(inputs, request, std::min(node_count, inputs.graph.ranks()));
    request.place.started = std::chrono::steady_clock::now();
  }
  return place_with_progress(inputs, request);
}

void print(const SelectOptions& options, const Placement& placement, const Candidates& candidates) {
  const std::set<Node> used(placement.mapping.begin(), placement.mapping.end());
  std::vector<std::string> hosts;  // in the order of the candidates
  for (const NodeSlots& entry : candidates.nodes) {
    if (used.contains(entry.node)) hosts.push_back(candidates.name_of.at(entry.node));
  }
  std::vector<std::string> mapping;
  for (const Node node : placement.mapping) mapping.push_back(candidates.name_of.at(node));
  if (options.format == "hostfile") {
    write_output("", fmt::format("{}\n", fmt::join(mapping, "\n")));
    return;
  }
  if (options.format == "nodes" && !options.json) {
    write_output("", compress_hostlist(hosts) + "\n");
    return;
  }
  const nlohmann::ordered_json json{
      {"nodes", compress_hostlist(hosts)},         {"node_count", hosts.size()},
      {"candidates", candidates.nodes.size()},     {"chosen", metrics_json(placement.chosen)},
      {"default", metrics_json(placement.linear)}, {"mapping", mapping}};
  write_output("", json.dump(2) + "\n");
}

void run(SelectOptions& options) {
  PlaceOptions& place = options.request.place;
  place.started = std::chrono::steady_clock::now();
  place.objective = parse_objective(options.request.objective);
  for (const std::string& text : options.request.needs) {
    const auto needs = parse_resource_needs(text);
    place.needs.insert(place.needs.end(), needs.begin(), needs.end());
  }
  PlacementInputs inputs;
  inputs.graph = graph_of(options);
  const auto hosts = find_hosts(options);
  inputs.topology = topology_of(options, hosts);
  const Candidates candidates = make_candidates(options, hosts, *inputs.topology);
  inputs.allocation = candidates.nodes;
  inputs.outages = load_outages(options.request.inputs, *inputs.topology);
  print(options, choose(inputs, options.request, options.node_count), candidates);
}

void add_slurm_options(CLI::App& command, SelectOptions& options) {
  command.add_option("-n,--ntasks", options.ranks, "Ranks of the job (default: the graph's)")
      ->check(CLI::Range(1U, kMaxRanks));
  command
      .add_option("-N,--node-count", options.node_count,
                  "Choose exactly so many nodes (default: as many as are good)")
      ->check(CLI::Range(1U, kMaxRanks));
  command
      .add_option("--ntasks-per-node", options.ntasks_per_node, "Ranks that a node takes at most")
      ->check(CLI::Range(1U, kMaxRanks));
  command
      .add_option("-c,--cpus-per-task", options.cpus_per_task,
                  "Processors a rank takes, of those that Slurm says a node has")
      ->capture_default_str()
      ->check(CLI::Range(1U, kMaxRanks))
      ->excludes("--nodes")
      ->excludes("--slots");
  command
      .add_option("-p,--partition", options.partition,
                  "Idle nodes of this partition (default: of Slurm's default partition)")
      ->check(kNotEmpty)
      ->excludes("--nodes");
  command.add_option("-x,--exclude", options.excluded, "Nodes not to choose")
      ->check(kNotEmpty)
      ->type_name("HOSTLIST");
}

}  // namespace

void add_select(CLI::App& app, int& /*status*/) {
  auto options = std::make_shared<SelectOptions>();
  CLI::App* command = app.add_subcommand("select", "Choose nodes for a job among the idle ones");
  add_placement_options(*command, options->request);
  command->get_option("--graph")->required(false);
  command->get_option("--nodes")->description(
      "Nodes to choose from, in order (default: those that Slurm says are idle)");
  command->get_option("--slots")->description(
      "Ranks a node takes (default: as many as its processors allow, 1 with --nodes)");
  add_slurm_options(*command, *options);
  command
      ->add_option("--format", options->format,
                   "nodes; hostfile, with the node of every rank; or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"nodes", "hostfile", "json"}));
  command->add_flag("--json", options->json, "Short for --format json: with all costs")
      ->excludes("--format");
  command->footer(
      "Examples:\n"
      "  sbatch -n 64 -w \"$(tofa select --graph app)\" job.sh\n"
      "  tofa select -n 64 --topology torus.toml --nodes 'n[000-511]' --outages outages.txt "
      "--json");
  command->callback([options, command] {
    options->slots_given = command->count("--slots") > 0;
    run(*options);
  });
}

}  // namespace tofa::cli
