// SPDX-License-Identifier: BSD-3-Clause
// `tofa remap`: place a job anew after nodes were lost or gained, and move few ranks.
#include "tofa/remap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>

#include "common_options.hpp"
#include "mapping_file.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/hostfile.hpp"
#include "tofa/hostlist.hpp"

namespace tofa::cli {
namespace {

struct RemapOptions {
  PlacementRequest request;
  bool slots_given = false;
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

// The nodes of the old mapping. Unless it is said how many ranks a node takes, each takes those
// that it holds.
Allocation nodes_of_mapping(const RemapOptions& options, const std::vector<unsigned>& held) {
  Allocation nodes;
  for (Node node = 0; node < held.size(); ++node) {
    if (held[node] == 0) continue;
    nodes.push_back({node, options.slots_given ? options.request.slots : held[node]});
  }
  return nodes;
}

// What is available: the nodes that are named, or else those of the old mapping, without the lost
// ones and with the gained ones, which take as many as the fullest if nothing else is said.
Allocation find_available(const RemapOptions& options, const Topology& topology,
                          const Mapping& old) {
  std::vector<unsigned> held(topology.nodes());
  for (const Node node : old) ++held[node];
  const Allocation known =
      options.request.nodes.empty()
          ? nodes_of_mapping(options, held)
          : make_allocation(topology, options.request.nodes, options.request.slots);
  const std::set<Node> lost = nodes_of("--lost", options.lost, topology);
  std::set<Node> gained = nodes_of("--gained", options.gained, topology);
  Allocation available;
  for (const AllocationEntry& entry : known) {
    if (!lost.contains(entry.node)) available.push_back(entry);
    gained.erase(entry.node);
  }
  const bool as_the_fullest = options.request.nodes.empty() && !options.slots_given;
  const unsigned slots =
      as_the_fullest ? *std::max_element(held.begin(), held.end()) : options.request.slots;
  for (const Node node : gained) {
    if (!lost.contains(node)) available.push_back({node, slots});
  }
  return available;
}

std::string as_json(const Remapping& result, const Placement& scratch, std::size_t scratch_moves,
                    const PlacementInputs& inputs) {
  const Topology& topology = *inputs.topology;
  nlohmann::ordered_json json = metrics_json(result.metrics);
  json["cost"] = result.cost;
  json["moves"] = result.moved.size();
  json["moved"] = result.moved;
  json["oversubscribed"] = result.oversubscribed;
  json["out_of_time"] = result.out_of_time;
  json["from_scratch"] = metrics_json(scratch.chosen);
  json["from_scratch"]["cost"] = scratch.chosen_cost;
  json["from_scratch"]["moves"] = scratch_moves;
  json["inputs"] = origins_json(inputs.origins);
  json["mapping"] = hosts_of(result.mapping, topology);
  return json_text(json);
}

// The first part of the time is for moving, what is left for the comparison.
void run(RemapOptions& options) {
  constexpr double share_of_moving = 0.7;
  start(options.request);
  const PlaceOptions& comparing = options.request.place;
  PlaceOptions moving = comparing;
  moving.time_limit_seconds *= share_of_moving;
  const MappingFile file(options.mapping);
  const PlacementInputs inputs = load_inputs(
      options.request.inputs,
      all_hosts({file.hosts(), unique_hosts(options.request.nodes), unique_hosts(options.gained)}));
  const auto& topology = inputs.topology;
  const CommGraph& graph = inputs.graph;
  const OutageMap& outages = inputs.outages;
  const Mapping old = file.mapping(*topology, graph);
  const Allocation available = find_available(options, *topology, old);
  const Remapping result = remap(graph, *topology, outages, old, available, moving);
  const Placement scratch =
      place(graph, *topology, outages, with_room_for(available, graph.ranks()), comparing);
  const std::size_t scratch_moves = moved_ranks(old, scratch.mapping).size();
  if (options.format == "json") {
    write_output(options.output, as_json(result, scratch, scratch_moves, inputs));
    return;
  }
  write_output(options.output, format_hostfile(hosts_of(result.mapping, *topology)));
  if (options.request.quiet) return;
  fmt::print(stderr, "{} of {} ranks move{}{}; {} {:.6g}, from scratch {:.6g} with {} moves\n",
             result.moved.size(), graph.ranks(),
             result.oversubscribed ? ", nodes are oversubscribed" : "",
             result.out_of_time ? ", cut short by the time limit" : "",
             objective_name(comparing.objective), result.cost, scratch.chosen_cost, scratch_moves);
  if (result.moved.empty() && !options.gained.empty() && !options.slots_given) {
    fmt::print(stderr,
               "tofa: no node gives up ranks to those gained, since it is not said how many a node "
               "takes; add --slots N\n");
  }
}

void add_remap(Command& command) {
  auto options = std::make_shared<RemapOptions>();
  add_placement_options(command, options->request);
  command.remove_option("--bind-gres");
  command.get_option("--nodes")->description("Available nodes (default: those of the mapping)");
  command.get_option("--slots")->description(
      "Ranks a node takes (default: with --nodes 1, else as many as it holds)");
  command
      .add_option("--mapping", options->mapping,
                  "Where ranks are: a hostfile, a rankfile, or tofa map's JSON")
      ->required()
      ->check(kNotEmpty)
      ->type_name("FILE");
  // Lists that programs make may be empty.
  command
      .add_option("--lost", options->lost, "Nodes that are not available any more; may be empty")
      ->type_name("HOSTLIST");
  command.add_option("--gained", options->gained, "Nodes that have become available; may be empty")
      ->type_name("HOSTLIST");
  command.add_option("--format", options->format, "hostfile or json")
      ->capture_default_str()
      ->check(one_of({"hostfile", "json"}));
  command.add_option("-o,--output", options->output, "Write there instead of standard output")
      ->type_name("FILE");
  command.footer(
      "Examples:\n"
      "  tofa remap --graph app --topology torus.toml --mapping hosts --lost n017 --gained "
      "n[100-103]\n"
      "  tofa remap --graph app --mapping hosts --nodes 'n[000-015]' --format json");
  command.callback([options, &command] {
    options->slots_given = command.count("--slots") > 0;
    run(*options);
  });
}

}  // namespace

extern constexpr Subcommand kRemapCommand{
    "remap", "Place a job anew after nodes were lost or gained; move few ranks", add_remap};

}  // namespace tofa::cli
