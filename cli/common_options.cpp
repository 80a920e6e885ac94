// SPDX-License-Identifier: BSD-3-Clause
// Shared options and loading of inputs: see common_options.hpp.
#include "common_options.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "progress_line.hpp"
#include "slurm_client.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/health_query.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/site.hpp"
#include "tofa/text.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {

const CLI::Validator kNotEmpty(
    [](std::string& text) {
      return text.empty() ? std::string("must not be empty") : std::string();
    },
    "");

void add_graph_option(CLI::App& command, Inputs& inputs) {
  command
      .add_option("--graph", inputs.graph,
                  "Communication graph: a Matrix Market, Open MPI .prof, dense or Scotch file, or "
                  "the common "
                  "stem of a profile's two files")
      ->required()
      ->check(kNotEmpty)
      ->type_name("FILE");
}

void add_topology_option(CLI::App& command, Inputs& inputs) {
  command
      .add_option("--topology", inputs.topology,
                  "Topology file (default: $TOFA_TOPOLOGY, then the site file)")
      ->check(kNotEmpty)
      ->type_name("FILE");
}

void add_outage_options(CLI::App& command, Inputs& inputs) {
  auto* outages =
      command
          .add_option(
              "--outages", inputs.outages,
              "Outage probabilities: lines `host probability`, or the JSON of tofa health list "
              "(default: $TOFA_OUTAGES, then the site file)")
          ->type_name("FILE");
  command
      .add_option(
          "--health", inputs.health,
          "Ask this health service instead, IP:PORT (default: $TOFA_HEALTH, then the site file)")
      ->check(kNotEmpty)
      ->type_name("URI")
      ->excludes(outages);
  command
      .add_option_function<std::string>(
          "--horizon",
          [&inputs](const std::string& text) {
            const auto seconds = parse_duration(text);
            if (!seconds) {
              throw CLI::ValidationError("--horizon", excerpt(text) +
                                                          " is no time, such as 90s, 1h30m or "
                                                          "1-12:00:00");
            }
            inputs.horizon = *seconds;
          },
          "How long the job may run: also count how likely nodes fail within that time, where "
          "their rate of outages is known (90, 1h30m, 2-00:00:00)")
      ->type_name("DURATION");
}

void add_placement_options(CLI::App& command, PlacementRequest& request) {
  request.inputs.placing = true;
  add_graph_option(command, request.inputs);
  add_topology_option(command, request.inputs);
  command
      .add_option("--nodes", request.nodes,
                  "Allocated nodes, in order (default: all of the topology)")
      ->check(kNotEmpty)
      ->type_name("HOSTLIST");
  command.add_option("--slots", request.slots, "Ranks a node takes")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command
      .add_option("--bind-gres", request.needs,
                  "Ranks that must have a unit of a resource of their node: fpga:0-3,8 names them, "
                  "fpga=4 is any four")
      ->check(kNotEmpty)
      ->take_all()
      ->type_name("NEED");
  add_outage_options(command, request.inputs);
  command
      .add_option("--mapper", request.place.mapper,
                  fmt::format("{}: the best of all, refined", fmt::join(mapper_names(), ", ")))
      ->capture_default_str();
  command
      .add_option("--objective", request.objective,
                  "completion-time, hop-bytes, congestion or fault-weighted")
      ->capture_default_str();
  command.add_option("--seed", request.place.seed, "Same seed and input, same mapping")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--time-limit", request.place.time_limit_seconds,
                  "Seconds the command may take, reading included")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1e6) & CLI::PositiveNumber);
  command.add_flag("-q,--quiet", request.quiet, "Do not show progress, even on a terminal");
}

CommGraph load_graph(const Inputs& inputs) {
  return CommGraph(read_traffic(inputs.graph));
}

std::unique_ptr<Topology> load_topology(const Inputs& inputs) {
  if (!inputs.topology.empty()) return read_topology(inputs.topology);
  const std::string path = load_site_defaults().topology;
  if (path.empty()) {
    const std::string slurms = slurm::find_topology_file();
    if (!slurms.empty()) return read_topology(slurms);
    throw Error(ErrorKind::bad_input, "no topology; add --topology FILE or set TOFA_TOPOLOGY");
  }
  try {
    return read_topology(path);
  } catch (const Error& error) {
    throw Error(error.kind(),
                fmt::format("{} (named by TOFA_TOPOLOGY or the site file)", error.what()));
  }
}

OutageMap load_outages(const Inputs& inputs, const Topology& topology) {
  SiteDefaults where{"", inputs.outages, inputs.health, ""};
  if (inputs.outages.empty() && inputs.health.empty()) where = load_site_defaults();
  OutageList outages;
  if (!where.outages.empty()) outages = read_outages(where.outages);
  if (!where.health.empty()) {
    const OutageList answer = query_health({.uri = where.health});
    outages.insert(outages.end(), answer.begin(), answer.end());
  }
  double horizon = inputs.horizon.value_or(0);
  if (!inputs.horizon && inputs.placing) horizon = slurm::horizon_of_this_job(outages);
  OutageMap map(worst_of(over_horizon(outages, horizon)), topology);
  if (map.unknown_hosts() > 0) {
    fmt::print(
        stderr,
        "tofa: warning: {} of the {} hosts with an outage probability are not in the topology\n",
        map.unknown_hosts(), outages.size());
  }
  return map;
}

Allocation make_allocation(const Topology& topology, const std::string& hosts, unsigned slots) {
  Allocation allocation;
  if (hosts.empty()) {
    for (Node node = 0; node < topology.nodes(); ++node) {
      if (topology.host(node) == node) allocation.push_back({node, slots});
    }
    return allocation;
  }
  std::vector<std::size_t> place(topology.nodes(),
                                 0);  // 1 + index in the allocation, 0 when not yet in
  const std::vector<std::string> expanded = expand_hostlist(hosts);
  if (expanded.empty()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--nodes \"{}\" names no host; leave it out for all nodes", hosts));
  }
  for (const std::string& host : expanded) {
    const auto node = topology.find(host);
    if (!node) {
      throw Error(ErrorKind::unmet,
                  fmt::format("node \"{}\" of --nodes is not in the topology ({}); add it there "
                              "or leave it out",
                              host, topology.describe()));
    }
    if (place[*node] == 0) {
      allocation.push_back({*node, 0});
      place[*node] = allocation.size();
    }
    allocation[place[*node] - 1].slots += slots;
  }
  return allocation;
}

namespace {

// Slurm's topology.conf, if there is one that has all of the nodes.
std::unique_ptr<Topology> slurms_topology(const std::vector<std::string>& names) {
  const std::string path = slurm::find_topology_file();
  if (path.empty()) {
    fmt::print(stderr, "tofa: no topology given; all nodes are taken to be equally far apart\n");
    return nullptr;
  }
  std::string problem;
  try {
    auto topology = read_topology(path);
    const auto missing = std::find_if_not(names.begin(), names.end(), [&](const std::string& name) {
      return topology->find(name).has_value();
    });
    if (missing == names.end()) {
      fmt::print(stderr, "tofa: no topology given; {} is used\n", path);
      return topology;
    }
    problem = fmt::format("{} lacks node \"{}\"", path, *missing);
  } catch (const Error& error) {
    problem = error.what();
  }
  fmt::print(stderr,
             "tofa: no topology given, and {}; all nodes are taken to be equally far apart\n",
             problem);
  return nullptr;
}

}  // namespace

std::unique_ptr<Topology> topology_for(const PlacementRequest& request) {
  if (request.nodes.empty() || !request.inputs.topology.empty() ||
      !load_site_defaults().topology.empty()) {
    return load_topology(request.inputs);
  }
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const std::string& host : expand_hostlist(request.nodes)) {
    if (seen.insert(host).second) names.push_back(host);
  }
  auto topology = slurms_topology(names);
  return topology ? std::move(topology) : make_flat_topology(names);
}

PlacementInputs load_placement_inputs(PlacementRequest& request) {
  request.place.started = std::chrono::steady_clock::now();
  request.place.objective = parse_objective(request.objective);
  for (const std::string& text : request.needs) {
    const auto needs = parse_resource_needs(text);
    request.place.needs.insert(request.place.needs.end(), needs.begin(), needs.end());
  }
  PlacementInputs inputs;
  inputs.topology = topology_for(request);
  inputs.allocation = make_allocation(*inputs.topology, request.nodes, request.slots);
  inputs.graph = load_graph(request.inputs);
  inputs.outages = load_outages(request.inputs, *inputs.topology);
  return inputs;
}

Placement place_with_progress(const PlacementInputs& inputs, const PlacementRequest& request) {
  ProgressLine line(request.quiet);
  PlaceOptions options = request.place;
  options.progress = line.callback();
  return place(inputs.graph, *inputs.topology, inputs.outages, inputs.allocation, options);
}

void write_output(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    fmt::print("{}", text);
    return;
  }
  write_file_atomically(path, text);
}

}  // namespace tofa::cli
