// SPDX-License-Identifier: BSD-3-Clause
// `tofa remap`: place a job anew after nodes were lost or gained, and move few ranks.
#include "tofa/remap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>

#include "common_options.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"

namespace tofa::cli {
namespace {

struct RemapOptions {
  PlacementRequest request;
  std::string mapping;
  std::string lost;
  std::string gained;
  std::string format = "hostfile";
  std::string output;
};

std::set<Node> nodes_of(const std::string& option, const std::string& hosts,
                        const Topology& topology) {
  std::set<Node> nodes;
  if (hosts.empty()) return nodes;
  for (const std::string& host : expand_hostlist(hosts)) {
    const auto node = topology.find(host);
    if (!node) {
      throw Error(ErrorKind::bad_input, fmt::format("node \"{}\" of {} is not in the topology ({})",
                                                    host, option, topology.describe()));
    }
    nodes.insert(*node);
  }
  return nodes;
}

// What is available: the nodes that are named, or else those of the old mapping, which have the
// slots that it uses at least; without the lost ones and with the gained ones.
Allocation find_available(const RemapOptions& options, const Topology& topology,
                          const Mapping& old) {
  Allocation known;
  if (options.request.nodes.empty()) {
    std::vector<unsigned> held(topology.nodes());
    for (const Node node : old) ++held[node];
    for (Node node = 0; node < topology.nodes(); ++node) {
      if (held[node] > 0) known.push_back({node, std::max(held[node], options.request.slots)});
    }
  } else {
    known = make_allocation(topology, options.request.nodes, options.request.slots);
  }
  const std::set<Node> lost = nodes_of("--lost", options.lost, topology);
  std::set<Node> gained = nodes_of("--gained", options.gained, topology);
  Allocation available;
  for (const NodeSlots& entry : known) {
    if (!lost.contains(entry.node)) available.push_back(entry);
    gained.erase(entry.node);
  }
  for (const Node node : gained) {
    if (!lost.contains(node)) available.push_back({node, options.request.slots});
  }
  return available;
}

std::string as_json(const Remapping& result, const Placement& scratch, std::size_t scratch_moves,
                    const Topology& topology) {
  nlohmann::ordered_json json = metrics_json(result.metrics);
  json["cost"] = result.cost;
  json["moves"] = result.moved.size();
  json["moved"] = result.moved;
  json["oversubscribed"] = result.oversubscribed;
  json["from_scratch"] = metrics_json(scratch.chosen);
  json["from_scratch"]["cost"] = scratch.chosen_cost;
  json["from_scratch"]["moves"] = scratch_moves;
  auto hosts = nlohmann::ordered_json::array();
  for (const Node node : result.mapping) hosts.push_back(topology.name(node));
  json["mapping"] = std::move(hosts);
  return json.dump(2) + "\n";
}

void run(RemapOptions& options) {
  options.request.place.objective = parse_objective(options.request.objective);
  const auto topology = load_topology(options.request.inputs);
  const CommGraph graph = load_graph(options.request.inputs);
  const OutageMap outages = load_outages(options.request.inputs, *topology);
  const Mapping old = read_mapping_for(options.mapping, *topology, graph);
  const Allocation available = find_available(options, *topology, old);
  const Remapping result = remap(graph, *topology, outages, old, available, options.request.place);
  const Placement scratch = place(graph, *topology, outages,
                                  with_room_for(available, graph.ranks()), options.request.place);
  const std::size_t scratch_moves = moved_ranks(old, scratch.mapping).size();
  if (options.format == "json") {
    write_output(options.output, as_json(result, scratch, scratch_moves, *topology));
    return;
  }
  std::string hostfile;
  for (const Node node : result.mapping) hostfile += topology->name(node) + "\n";
  write_output(options.output, hostfile);
  if (options.request.quiet) return;
  fmt::print(stderr, "{} of {} ranks move{}; {} {:.6g}, from scratch {:.6g} with {} moves\n",
             result.moved.size(), graph.ranks(),
             result.oversubscribed ? ", nodes are oversubscribed" : "", options.request.objective,
             result.cost, scratch.chosen_cost, scratch_moves);
}

}  // namespace

void add_remap(CLI::App& app, int& /*status*/) {
  auto options = std::make_shared<RemapOptions>();
  CLI::App* command = app.add_subcommand(
      "remap", "Place a job anew after nodes were lost or gained; move few ranks");
  add_placement_options(*command, options->request);
  command->remove_option(command->get_option("--bind-gres"));
  command->get_option("--nodes")->description("Available nodes (default: those of the mapping)");
  command
      ->add_option("--mapping", options->mapping,
                   "Where ranks are: a hostfile, a rankfile, or tofa map's JSON")
      ->required()
      ->check(kNotEmpty)
      ->type_name("FILE");
  command->add_option("--lost", options->lost, "Nodes that are not available any more")
      ->check(kNotEmpty)
      ->type_name("HOSTLIST");
  command->add_option("--gained", options->gained, "Nodes that have become available")
      ->check(kNotEmpty)
      ->type_name("HOSTLIST");
  command->add_option("--format", options->format, "hostfile or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"hostfile", "json"}));
  command->add_option("-o,--output", options->output, "Write there instead of standard output")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  tofa remap --graph app --topology torus.toml --mapping hosts --lost n017 --gained "
      "n[100-103]\n"
      "  tofa remap --graph app --mapping hosts --nodes 'n[000-015]' --format json");
  command->callback([options] { run(*options); });
}

}  // namespace tofa::cli
