// SPDX-License-Identifier: BSD-3-Clause
// `tofa map`: place the ranks of a graph on the nodes of a topology.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "common_options.hpp"
#include "mapping_file.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/gain.hpp"
#include "tofa/hostfile.hpp"
#include "tofa/machine.hpp"

namespace tofa::cli {
namespace {

struct MapOptions {
  PlacementRequest request;
  std::optional<Machine> machine;  // that was asked for, read once: it may come from a pipe
  unsigned cores_per_rank = 1;
  std::string format = "hostfile";
  std::string output;
};

// Ranks of a node take its cores in ascending order where no machine says which are close.
std::vector<unsigned> ascending_places(const Mapping& mapping, const Topology& topology) {
  std::vector<unsigned> next(topology.nodes());
  std::vector<unsigned> place_of;
  for (const Node node : mapping) place_of.push_back(next[node]++);
  return place_of;
}

// The place of every rank inside its node on a machine, counted in places of `cores_per_rank`
// cores.
std::vector<unsigned> places_on_machine(const Machine& whole, const std::string& source,
                                        unsigned cores_per_rank, const PlacementInputs& inputs,
                                        const Mapping& mapping) {
  const Topology& topology = *inputs.topology;
  const std::vector<unsigned> ascending = ascending_places(mapping, topology);
  const Machine machine = with_cores_per_place(whole, cores_per_rank);
  const auto last = std::max_element(ascending.begin(), ascending.end());
  if (*last >= machine.places) {
    const Node node = mapping[static_cast<std::size_t>(last - ascending.begin())];
    const auto ranks = std::count(mapping.begin(), mapping.end(), node);
    throw Error(ErrorKind::unmet,
                fmt::format("node \"{}\" gets {} ranks with {} cores each, but machine \"{}\" has "
                            "room for {}; lower --slots or --cores-per-rank, or name another "
                            "machine",
                            topology.name(node), ranks, cores_per_rank, source, machine.places));
  }
  return arrange_within_nodes(inputs.graph, mapping, machine);
}

// The same on the machine that was asked for, which must do; on the usual one, if there is one that
// does.
std::vector<unsigned> find_places(const MapOptions& options, const PlacementInputs& inputs,
                                  const Mapping& mapping) {
  const MachineInput& machine = inputs.machine;
  try {
    if (!machine.source.empty()) {
      return places_on_machine(options.machine ? *options.machine : read_machine(machine.source),
                               machine.source, options.cores_per_rank, inputs, mapping);
    }
  } catch (const Error& error) {
    if (machine.named_by.empty()) throw;
    fmt::print(stderr,
               "tofa: warning: {} (named by {}); ranks of a node take its cores in ascending "
               "order\n",
               error.what(), machine.named_by);
  }
  return ascending_places(mapping, *inputs.topology);
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

std::string as_json(const Placement& placement, const PlacementInputs& inputs,
                    const std::vector<unsigned>& place_of, const MapOptions& options) {
  const Topology& topology = *inputs.topology;
  nlohmann::ordered_json json = metrics_json(placement.chosen);
  json["objective"] = options.request.inputs.settings.objective;
  json["cost"] = placement.chosen_cost;
  json["communication_speedup"] = communication_speedup(placement.linear, placement.chosen);
  json["default"] = metrics_json(placement.linear);
  json["default"]["mapper"] = "linear";
  json["default"]["cost"] = placement.linear_cost;
  json["mapper"] = options.request.place.mapper;
  json["origin"] = placement.origin;
  json["effort"] = effort_name(options.request.place.effort);
  json["abort_cost"] = options.request.place.abort_cost;
  json["seed"] = options.request.place.seed;
  json["topology"] = topology.describe();
  json["inputs"] = origins_json(inputs.origins);
  json["elapsed_seconds"] = placement.elapsed_seconds;
  json["out_of_time"] = placement.out_of_time;
  json["mapping"] = hosts_of(placement.mapping, topology);
  auto slots = nlohmann::ordered_json::array();
  for (const unsigned place : place_of) slots.push_back(place * options.cores_per_rank);
  json["slot"] = std::move(slots);
  json["cores_per_rank"] = options.cores_per_rank;
  return json_text(json);
}

void run(MapOptions& options) {
  Inputs& asked = options.request.inputs;
  // A mistake in its name is one in every format.
  if (asked.settings.machine) options.machine = read_machine(*asked.settings.machine);
  asked.needs_machine = options.format != "hostfile";
  const PlacementInputs inputs = load_placement_inputs(options.request);
  const Topology& topology = *inputs.topology;
  const Placement placement = place_with_progress(inputs, options.request);
  if (options.format == "hostfile") {
    write_output(options.output, format_hostfile(hosts_of(placement.mapping, topology)));
    return;
  }
  const auto place_of = find_places(options, inputs, placement.mapping);
  write_output(options.output,
               options.format == "json"
                   ? as_json(placement, inputs, place_of, options)
                   : as_rankfile(placement, topology, place_of, options.cores_per_rank));
}

void add_map(Command& command) {
  auto options = std::make_shared<MapOptions>();
  add_placement_options(command, options->request);
  add_machine_option(command, options->request.inputs);
  command.add_option("--cores-per-rank", options->cores_per_rank, "Cores a rank takes")
      ->capture_default_str()
      ->check(range(1, 4096));
  command.add_option("--format", options->format, "hostfile, rankfile or json")
      ->capture_default_str()
      ->check(one_of({"hostfile", "rankfile", "json"}));
  command.add_option("-o,--output", options->output, "Write there instead of standard output")
      ->type_name("FILE");
  command.footer(
      "Examples:\n"
      "  tofa map --graph app --topology torus.toml\n"
      "  tofa map --graph app --topology torus.toml --nodes 'n[000-063]' --slots 2 --outages "
      "outages.txt -o hosts\n"
      "  tofa map --graph app --health 10.0.0.1:7412 --format rankfile -o ranks && mpirun -rf "
      "ranks ./app\n"
      "  tofa map --graph app --topology torus.toml --objective hop-bytes --format json");
  command.callback([options] { run(*options); });
}

}  // namespace

extern constexpr Subcommand kMapCommand{"map", "Place ranks on nodes", add_map};

}  // namespace tofa::cli
