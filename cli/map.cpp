// SPDX-License-Identifier: BSD-3-Clause
// `tofa map`: place the ranks of a graph on the nodes of a topology.
#include <fmt/core.h>

#include <memory>

#include "common_options.hpp"
#include "report.hpp"
#include "subcommands.hpp"

namespace tofa::cli {
namespace {

struct MapOptions {
  PlacementRequest request;
  std::string format = "hostfile";
  std::string output;
};

std::string as_hostfile(const Placement& placement, const Topology& topology) {
  std::string text;
  for (const Node node : placement.mapping) text += topology.name(node) + "\n";
  return text;
}

// Ranks of a node take its slots in ascending order.
std::string as_rankfile(const Placement& placement, const Topology& topology) {
  std::vector<unsigned> next_slot(topology.nodes());
  std::string text;
  for (Rank rank = 0; rank < placement.mapping.size(); ++rank) {
    const Node node = placement.mapping[rank];
    text += fmt::format("rank {}={} slot={}\n", rank, topology.name(node), next_slot[node]++);
  }
  return text;
}

std::string as_json(const Placement& placement, const Topology& topology,
                    const MapOptions& options) {
  nlohmann::ordered_json json = metrics_json(placement.chosen);
  json["objective"] = options.request.objective;
  json["cost"] = placement.chosen_cost;
  json["default"] = metrics_json(placement.linear);
  json["default"]["mapper"] = "linear";
  json["default"]["cost"] = placement.linear_cost;
  json["mapper"] = options.request.place.mapper;
  json["origin"] = placement.mapper;
  json["seed"] = options.request.place.seed;
  json["topology"] = topology.describe();
  json["elapsed_seconds"] = placement.elapsed_seconds;
  json["out_of_time"] = placement.out_of_time;
  auto hosts = nlohmann::ordered_json::array();
  for (const Node node : placement.mapping) hosts.push_back(topology.name(node));
  json["mapping"] = std::move(hosts);
  return json.dump(2) + "\n";
}

void run(MapOptions& options) {
  const PlacementInputs inputs = load_placement_inputs(options.request);
  const Topology& topology = *inputs.topology;
  const Placement placement = place_with_progress(inputs, options.request);
  if (options.format == "json") {
    write_output(options.output, as_json(placement, topology, options));
  } else if (options.format == "rankfile") {
    write_output(options.output, as_rankfile(placement, topology));
  } else {
    write_output(options.output, as_hostfile(placement, topology));
  }
}

}  // namespace

void add_map(CLI::App& app, int& /*status*/) {
  auto options = std::make_shared<MapOptions>();
  CLI::App* command = app.add_subcommand("map", "Place ranks on nodes");
  add_placement_options(*command, options->request);
  command->add_option("--format", options->format, "hostfile, rankfile or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"hostfile", "rankfile", "json"}));
  command->add_option("-o,--output", options->output, "Write there instead of standard output")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  tofa map --graph app --topology torus.toml\n"
      "  tofa map --graph app --topology torus.toml --nodes 'n[000-063]' --slots 2 --outages "
      "outages.txt -o hosts\n"
      "  tofa map --graph app --health 10.0.0.1:7412 --format rankfile -o ranks && mpirun -rf "
      "ranks ./app\n"
      "  tofa map --graph app --topology torus.toml --objective hop-bytes --format json");
  command->callback([options] { run(*options); });
}

}  // namespace tofa::cli
