// SPDX-License-Identifier: BSD-3-Clause
// `tofa map`: place the ranks of a graph on the nodes of a topology.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "common_options.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/machine.hpp"
#include "tofa/site.hpp"

namespace tofa::cli {
namespace {

struct MapOptions {
  PlacementRequest request;
  std::string machine;
  unsigned cores_per_rank = 1;
  std::string format = "hostfile";
  std::string output;
};

std::string as_hostfile(const Placement& placement, const Topology& topology) {
  std::string text;
  for (const Node node : placement.mapping) text += topology.name(node) + "\n";
  return text;
}

// Ranks of a node take its cores in ascending order where no machine says which are close.
std::vector<unsigned> ascending_places(const Mapping& mapping, const Topology& topology) {
  std::vector<unsigned> next(topology.nodes());
  std::vector<unsigned> place_of;
  for (const Node node : mapping) place_of.push_back(next[node]++);
  return place_of;
}

// The place of every rank inside its node, counted in places of `cores_per_rank` cores.
std::vector<unsigned> find_places(const MapOptions& options, const CommGraph& graph,
                                  const Mapping& mapping, const Topology& topology) {
  std::vector<unsigned> ascending = ascending_places(mapping, topology);
  const std::string source =
      options.machine.empty() ? load_site_defaults().machine : options.machine;
  if (source.empty()) return ascending;
  const Machine machine = with_cores_per_place(read_machine(source), options.cores_per_rank);
  const auto last = std::max_element(ascending.begin(), ascending.end());
  if (*last >= machine.places) {
    const Node node = mapping[static_cast<std::size_t>(last - ascending.begin())];
    const auto ranks = std::count(mapping.begin(), mapping.end(), node);
    throw Error(
        ErrorKind::unmet,
        fmt::format("node \"{}\" gets {} ranks with {} cores each, but machine \"{}\" has "
                    "room for {}; lower --slots or --cores-per-rank, or name another "
                    "machine",
                    topology.name(node), ranks, options.cores_per_rank, source, machine.places));
  }
  return arrange_within_nodes(graph, mapping, machine);
}

std::string as_rankfile(const Placement& placement, const Topology& topology,
                        const std::vector<unsigned>& place_of, unsigned cores) {
  std::string text;
  for (Rank rank = 0; rank < placement.mapping.size(); ++rank) {
    const unsigned first = place_of[rank] * cores;
    text += fmt::format("rank {}={} slot={}", rank, topology.name(placement.mapping[rank]), first);
    text += cores > 1 ? fmt::format("-{}\n", first + cores - 1) : "\n";
  }
  return text;
}

std::string as_json(const Placement& placement, const Topology& topology,
                    const std::vector<unsigned>& place_of, const MapOptions& options) {
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
  auto slots = nlohmann::ordered_json::array();
  for (const unsigned place : place_of) slots.push_back(place * options.cores_per_rank);
  json["slot"] = std::move(slots);
  json["cores_per_rank"] = options.cores_per_rank;
  return json.dump(2) + "\n";
}

void run(MapOptions& options) {
  const PlacementInputs inputs = load_placement_inputs(options.request);
  const Topology& topology = *inputs.topology;
  const Placement placement = place_with_progress(inputs, options.request);
  if (options.format == "hostfile") {
    write_output(options.output, as_hostfile(placement, topology));
    return;
  }
  const auto place_of = find_places(options, inputs.graph, placement.mapping, topology);
  write_output(options.output,
               options.format == "json"
                   ? as_json(placement, topology, place_of, options)
                   : as_rankfile(placement, topology, place_of, options.cores_per_rank));
}

}  // namespace

void add_map(CLI::App& app, int& /*status*/) {
  auto options = std::make_shared<MapOptions>();
  CLI::App* command = app.add_subcommand("map", "Place ranks on nodes");
  add_placement_options(*command, options->request);
  command
      ->add_option(
          "--machine", options->machine,
          "What a node looks like inside, to put partners on neighbouring cores: hwloc "
          "XML, \"package:2 l3:2 core:4\", or local (default: $TOFA_MACHINE, then the site "
          "file)")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command->add_option("--cores-per-rank", options->cores_per_rank, "Cores a rank takes")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
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
