// SPDX-License-Identifier: BSD-3-Clause
// `tofa select`: which of the idle nodes a job should ask for. The nodes are those that a placement
// of its ranks on all idle nodes would use: close together, in the shape of its traffic, and none
// that is likely to fail.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
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
  Rank ranks = 0;
  std::string partition;
  bool json = false;
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

Allocation candidates_of(const SelectOptions& options, const Topology& topology) {
  if (!options.request.nodes.empty()) {
    return make_allocation(topology, options.request.nodes, options.request.slots);
  }
  Allocation idle;
  try {
    for (const slurm::SlurmNode& host : slurm::find_idle_nodes(options.partition)) {
      const auto node = topology.find(host.name);
      if (node) idle.push_back({*node, options.request.slots});
    }
  } catch (const Error& error) {
    throw Error(error.kind(),
                fmt::format("{}; name the nodes to choose from (--nodes)", error.what()));
  }
  if (idle.empty()) {
    throw Error(ErrorKind::unmet,
                "none of Slurm's idle nodes is in the topology; name the nodes to choose from "
                "(--nodes)");
  }
  return idle;
}

// In the order of the candidates.
std::vector<std::string> used_hosts(const Mapping& mapping, const Allocation& candidates,
                                    const Topology& topology) {
  const std::set<Node> used(mapping.begin(), mapping.end());
  std::vector<std::string> hosts;
  for (const NodeSlots& entry : candidates) {
    if (used.contains(entry.node)) hosts.push_back(topology.name(entry.node));
  }
  return hosts;
}

void run(SelectOptions& options) {
  options.request.place.started = std::chrono::steady_clock::now();
  options.request.place.objective = parse_objective(options.request.objective);
  PlacementInputs inputs;
  inputs.graph = graph_of(options);
  inputs.topology = load_topology(options.request.inputs);
  inputs.allocation = candidates_of(options, *inputs.topology);
  inputs.outages = load_outages(options.request.inputs, *inputs.topology);
  const Placement placement = place_with_progress(inputs, options.request);
  const auto hosts = used_hosts(placement.mapping, inputs.allocation, *inputs.topology);
  if (!options.json) {
    write_output("", compress_hostlist(hosts) + "\n");
    return;
  }
  nlohmann::ordered_json json{{"nodes", compress_hostlist(hosts)},
                              {"node_count", hosts.size()},
                              {"candidates", inputs.allocation.size()},
                              {"chosen", metrics_json(placement.chosen)},
                              {"default", metrics_json(placement.linear)}};
  write_output("", json.dump(2) + "\n");
}

}  // namespace

void add_select(CLI::App& app, int& /*status*/) {
  auto options = std::make_shared<SelectOptions>();
  CLI::App* command = app.add_subcommand("select", "Choose nodes for a job among the idle ones");
  add_placement_options(*command, options->request);
  command->get_option("--graph")->required(false);
  command->get_option("--nodes")->description(
      "Nodes to choose from, in order (default: those that Slurm says are idle)");
  command->add_option("-n,--ntasks", options->ranks, "Ranks of the job (default: the graph's)")
      ->check(CLI::Range(1U, kMaxRanks));
  command->add_option("-p,--partition", options->partition, "Idle nodes of this partition only")
      ->check(kNotEmpty)
      ->excludes("--nodes");
  command->add_flag("--json", options->json,
                    "Print JSON, with what the choice and the default cost");
  command->footer(
      "Examples:\n"
      "  sbatch -w \"$(tofa select --graph app)\" job.sh\n"
      "  tofa select -n 64 --topology torus.toml --nodes 'n[000-511]' --outages outages.txt "
      "--json");
  command->callback([options] { run(*options); });
}

}  // namespace tofa::cli
