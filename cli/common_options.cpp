// SPDX-License-Identifier: BSD-3-Clause
// Shared options and loading of inputs: see common_options.hpp.
#include "common_options.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "progress_line.hpp"
#include "slurm_client.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {

namespace {

const Setting& setting_of(const char* name) {
  return *find_setting(name, FrontEnd::command);
}

// In --help, in place of the type: NAME:{hop-bytes,congestion}.
std::string value_of(const Setting& setting) {
  const auto words = known_words(setting);
  return words.empty() ? setting.value
                       : fmt::format("{}:{{{}}}", setting.value, fmt::join(words, ","));
}

// topology=FILE, outages=FILE, ...
std::string input_forms() {
  std::vector<std::string> forms;
  for (const Setting* setting : settings_of(FrontEnd::command))
    if (setting->is_input) forms.push_back(fmt::format("{}={}", setting->name, setting->value));
  const std::string last = forms.back();
  forms.pop_back();
  return fmt::format("{} or {}", fmt::join(forms, ", "), last);
}

Option* add_setting(Command& command, const char* name, PlacementSettings& settings) {
  const Setting& setting = setting_of(name);
  const auto read = [&setting, &settings](const std::string& text) -> std::string {
    try {
      setting.set(settings, text);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  Option* option = command.add_option_function(option_name(setting), read, setting.help)
                       ->type_name(value_of(setting));
  if (setting.default_value != nullptr) option->default_text(setting.default_value);
  return option;
}

}  // namespace

void add_graph_option(Command& command, Inputs& inputs) {
  add_setting(command, "graph", inputs.settings)->required()->check(kNotEmpty);
  add_symmetric_options(command, inputs.symmetric);
}

void add_graph_argument(Command& command, std::string& graph) {
  command.get_option("--graph")->required(false);
  command.add_option("GRAPH", graph, "The same as --graph")
      ->check(kNotEmpty)
      ->type_name("")
      ->excludes("--graph");
}

void add_symmetric_options(Command& command, SymmetricMatrix& symmetric) {
  auto* totals = command.add_flag_callback(
      "--symmetric", [&symmetric] { symmetric = SymmetricMatrix::totals; },
      "The graph's matrix has what a pair exchanged in both of its places: count it once (default "
      "for a symmetric dense matrix)");
  command
      .add_flag_callback(
          "--directed", [&symmetric] { symmetric = SymmetricMatrix::directed; },
          "The graph's matrix has what each rank sent, even if it is symmetric")
      ->excludes(totals);
}

void add_topology_option(Command& command, Inputs& inputs) {
  add_setting(command, "topology", inputs.settings)->check(kNotEmpty);
}

void add_link_load_options(Command& command, Inputs& inputs) {
  add_setting(command, "link_load", inputs.settings);
  add_setting(command, "pair_cost", inputs.settings);
  add_setting(command, "over_route", inputs.settings);
}

void add_outage_options(Command& command, Inputs& inputs) {
  const Option* outages = add_setting(command, "outages", inputs.settings);
  add_setting(command, "health", inputs.settings)->check(kNotEmpty)->excludes(outages);
  add_setting(command, "horizon", inputs.settings);
}

void add_machine_option(Command& command, Inputs& inputs) {
  add_setting(command, "machine", inputs.settings)->check(kNotEmpty);
}

void add_placement_options(Command& command, PlacementRequest& request) {
  request.inputs.placing = true;
  PlacementSettings& settings = request.inputs.settings;
  add_graph_option(command, request.inputs);
  add_topology_option(command, request.inputs);
  command
      .add_option("--nodes", request.nodes,
                  "Allocated nodes, in order (default: all of the topology)")
      ->check(kNotEmpty)
      ->join(',')
      ->type_name("HOSTLIST");
  command.add_option("--slots", request.slots, "Ranks a node takes")
      ->capture_default_str()
      ->check(range(1, 1'000'000));
  const Setting& needs = setting_of("gres");
  command.add_option(option_name(needs), settings.needs, needs.help)
      ->check(kNotEmpty)
      ->take_all()
      ->type_name(needs.value);
  add_outage_options(command, request.inputs);
  add_setting(command, "link_load", settings);
  // Those with a default are about the search.
  for (const Setting* setting : settings_of(FrontEnd::command))
    if (setting->default_value != nullptr) add_setting(command, setting->name, settings);
  command.add_flag("--best-effort", request.inputs.best_effort,
                   "For starting a job: what cannot be read is left out, with a warning");
  command
      .add_option("--default", request.inputs.defaults,
                  input_forms() + ": what the site file would say, behind the environment")
      ->take_all()
      ->type_name("KEY=VALUE");
  command.add_flag("-q,--quiet", request.quiet, "Do not show progress, even on a terminal");
}

Traffic load_traffic(const std::string& path, SymmetricMatrix symmetric) {
  Traffic traffic = read_traffic(path, symmetric);
  if (!traffic.note.empty()) fmt::print(stderr, "tofa: {}: {}\n", path, traffic.note);
  return traffic;
}

namespace {

// KEY=VALUE each, of inputs that the site file has, too.
SiteDefaults parse_defaults(const std::vector<std::string>& texts) {
  SiteDefaults defaults;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    const Setting* setting = find_setting(text.substr(0, sign), FrontEnd::command);
    if (sign == std::string::npos || setting == nullptr || !setting->is_input) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("--default {} is not {}", excerpt(text), input_forms()));
    }
    set_default(defaults, setting->name, text.substr(sign + 1), "--default");
  }
  return defaults;
}

InputRequest request_of(const Inputs& inputs) {
  InputRequest request = input_request(inputs.settings);
  request.symmetric = inputs.symmetric;
  request.launcher = parse_defaults(inputs.defaults);
  request.manager = slurm::resource_manager();
  // A mapping that is only looked at is no job of Slurm's.
  if (!inputs.placing) request.manager.time_left = nullptr;
  return request;
}

InputRequest request_of(const Inputs& inputs, std::vector<std::string> nodes, Rank ranks,
                        bool some_nodes_will_do) {
  InputRequest request = request_of(inputs);
  request.nodes = std::move(nodes);
  request.ranks = ranks;
  request.some_nodes_will_do = some_nodes_will_do;
  return request;
}

}  // namespace

std::unique_ptr<Topology> load_topology(const Inputs& inputs) {
  return InputLoader(inputs, {}).network().topology;
}

InputLoader::InputLoader(const Inputs& inputs, std::vector<std::string> nodes, Rank ranks,
                         bool some_nodes_will_do)
    : nodes_known_(!nodes.empty()),
      notes_(inputs.best_effort ? Leniency::launcher : Leniency::command),
      reader_(request_of(inputs, std::move(nodes), ranks, some_nodes_will_do), notes_) {}

void InputLoader::tell() {
  for (; told_ < notes_.warnings().size(); ++told_)
    fmt::print(stderr, "tofa: warning: {}\n", notes_.warnings()[told_]);
}

GraphInput InputLoader::graph() {
  GraphInput graph = reader_.graph();
  tell();
  return graph;
}

NetworkInput InputLoader::network() {
  NetworkInput network = reader_.network();
  const bool warned = told_ < notes_.warnings().size();
  tell();
  if (!nodes_known_ || warned) return network;
  if (network.assumed) {
    fmt::print(stderr, "tofa: no topology given; all nodes are taken to be equally far apart\n");
  } else if (!network.service.empty()) {
    fmt::print(stderr, "tofa: no topology given; that of the health service at {} is used\n",
               network.service);
  } else if (network.named_by == slurm::resource_manager().name) {
    fmt::print(stderr, "tofa: no topology given; {} is used\n", network.file);
  }
  return network;
}

LinkUse InputLoader::link_load(NetworkInput& network) {
  LinkUse use = reader_.link_load(network);
  tell();
  return use;
}

OutageInput InputLoader::outages(const NetworkInput& network) {
  OutageInput outages = reader_.outages(network);
  tell();
  return outages;
}

MachineInput InputLoader::machine() {
  MachineInput machine = reader_.machine();
  tell();
  return machine;
}

std::vector<std::string> unique_hosts(const std::string& hosts) {
  std::vector<std::string> names;
  if (hosts.empty()) return names;
  std::set<std::string> seen;
  for (const std::string& host : expand_hostlist(hosts))
    if (seen.insert(host).second) names.push_back(host);
  return names;
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

PlacementInputs load_inputs(const Inputs& options, std::vector<std::string> nodes, Rank ranks,
                            bool some_nodes_will_do) {
  InputLoader loader(options, std::move(nodes), ranks, some_nodes_will_do);
  NetworkInput network = loader.network();
  loader.link_load(network);
  GraphInput graph = loader.graph();
  OutageInput outages = loader.outages(network);
  PlacementInputs inputs;
  if (options.needs_machine) inputs.machine = loader.machine();
  inputs.origins = {graph.origin, network.origin, outages.origin};
  inputs.graph = std::move(graph.graph);
  inputs.topology = std::move(network.topology);
  inputs.assumed_network = network.assumed;
  inputs.network = std::move(network.fingerprint);
  inputs.outages = std::move(outages.map);
  return inputs;
}

void start(PlacementRequest& request) {
  request.place = place_options(request.inputs.settings);
  request.place.started = std::chrono::steady_clock::now();
}

void start_after_reading(PlacementRequest& request) {
  if (request.inputs.best_effort) request.place.started = std::chrono::steady_clock::now();
}

PlacementInputs load_placement_inputs(PlacementRequest& request) {
  start(request);
  PlacementInputs inputs = load_inputs(request.inputs, unique_hosts(request.nodes));
  inputs.allocation = make_allocation(*inputs.topology, request.nodes, request.slots);
  start_after_reading(request);
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
