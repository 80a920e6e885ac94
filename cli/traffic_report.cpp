// SPDX-License-Identifier: BSD-3-Clause
// `tofa report`: a page about the traffic of a program and what placement makes of it; with --site,
// what placements brought to the site.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "common_options.hpp"
#include "graph_files.hpp"
#include "mapping_file.hpp"
#include "page/page.hpp"
#include "profile_parts.hpp"
#include "site_report.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"

namespace tofa::cli {
namespace {

constexpr const char* kListOrder = "linear";

struct TrafficReportOptions {
  SiteReportOptions site;
  PlacementRequest request;
  std::string graph;  // named without --graph
  std::string mapping;
  std::string before = kListOrder;
  std::optional<MappingFile> file_before;
  std::optional<MappingFile> run;  // when the profile was taken, if that is known
  bool slots_given = false;
  bool before_given = false;
  std::string title;
  std::string output;
};

// What the page compares, and what it is made from, which has to live as long.
struct Compared {
  PlacementInputs inputs;
  Mapping before;
  Mapping after;
};

// Where the ranks were when the profile was taken, if that is told, and they were on several nodes.
// A file that is damaged tells nothing; read_run() says so on the page.
std::optional<MappingFile> read_mapping_of_run(const std::string& graph) {
  try {
    const std::string file = run_file(graph);
    if (file.empty() || read_file(file).find("\"mapping\"") == std::string::npos) return {};
    MappingFile mapping(file);
    if (mapping.hosts().size() > 1) return mapping;
  } catch (const Error&) {  // left out
  }
  return {};
}

// Where no other nodes are known, the page is about those of the run. False: it told of none.
bool take_nodes_of_run(TrafficReportOptions& options) {
  PlacementRequest& request = options.request;
  if (!options.run || !request.nodes.empty() || request.inputs.settings.topology) return false;
  std::map<std::string, unsigned> ranks_on;
  for (const std::string& host : options.run->rank_hosts()) {
    if (ranks_on[host]++ == 0) request.nodes += (request.nodes.empty() ? "" : ",") + host;
  }
  for (const auto& [host, ranks] : ranks_on) {
    if (!options.slots_given) request.slots = std::max(request.slots, ranks);
  }
  return true;
}

bool has_all(const Topology& topology, const std::vector<std::string>& hosts) {
  return std::all_of(hosts.begin(), hosts.end(),
                     [&](const std::string& host) { return topology.find(host).has_value(); });
}

// The nodes of both mappings and those that are named, each once: where no topology is given, these
// are the machine.
std::vector<std::string> hosts_compared(const TrafficReportOptions& options,
                                        const MappingFile& after) {
  std::vector<std::vector<std::string>> lists = {after.hosts()};
  if (options.file_before) {
    lists.push_back(options.file_before->hosts());
  } else if (!options.before_given && options.run) {
    lists.push_back(options.run->hosts());
  }
  lists.push_back(unique_hosts(options.request.nodes));
  return all_hosts(lists);
}

// As it ran, in list order, or as a file says.
Mapping before_of(TrafficReportOptions& options, const PlacementInputs& inputs) {
  const Topology& topology = *inputs.topology;
  if (options.file_before) return options.file_before->mapping(topology, inputs.graph);
  if (!options.before_given && options.run &&
      options.run->rank_hosts().size() == inputs.graph.ranks() &&
      has_all(topology, options.run->hosts())) {
    options.before = run_file(*options.request.inputs.settings.graph);
    return options.run->mapping(topology, inputs.graph);
  }
  return default_mapping(topology, inputs.allocation, inputs.graph.ranks());
}

Compared compare(TrafficReportOptions& options) {
  PlacementRequest& request = options.request;
  Compared compared;
  PlacementInputs& inputs = compared.inputs;
  if (options.mapping.empty()) {
    inputs = load_placement_inputs(request);
    compared.after = place_with_progress(inputs, request).mapping;
  } else {
    start(request);
    const MappingFile file(options.mapping);
    inputs = load_inputs(request.inputs, hosts_compared(options, file));
    compared.after = file.mapping(*inputs.topology, inputs.graph);
    const unsigned slots = options.slots_given
                               ? request.slots
                               : most_ranks_on_a_node(compared.after, *inputs.topology);
    inputs.allocation = make_allocation(*inputs.topology, request.nodes, slots);
  }
  compared.before = before_of(options, inputs);
  return compared;
}

Compared compare_with_run(TrafficReportOptions& options) {
  try {
    return compare(options);
  } catch (const Error&) {
    if (!options.mapping.empty() || !take_nodes_of_run(options)) throw;
  }
  return compare(options);
}

std::string before_title(const TrafficReportOptions& options) {
  if (options.before == kListOrder) return "Before: ranks in list order";
  if (options.before == run_file(*options.request.inputs.settings.graph))
    return "Before: as it ran";
  return "Before: " + graph_name(options.before);
}

PageMachine machine_of(const Compared& compared, const TrafficReportOptions& options) {
  const PlacementInputs& inputs = compared.inputs;
  std::vector<Node> allocated;
  for (const AllocationEntry& entry : inputs.allocation) allocated.push_back(entry.node);
  return {*inputs.topology,
          inputs.outages,
          std::move(allocated),
          compared.before,
          compared.after,
          before_title(options),
          options.mapping.empty() ? "After: as tofa places them"
                                  : "After: " + graph_name(options.mapping),
          options.request.place.objective,
          options.request.place.abort_cost};
}

void write_page(TrafficReportOptions& options) {
  PlacementSettings& settings = options.request.inputs.settings;
  if (!settings.graph && !options.graph.empty()) settings.graph = options.graph;
  if (!settings.graph) {
    throw Error(
        ErrorKind::bad_input,
        "a report of what? Name a graph, as in tofa report app, or a site's log with --site");
  }
  if (options.site.json) throw Error(ErrorKind::bad_input, "--json goes with --site only");
  const std::string name = graph_name(*settings.graph);
  const bool output_given = !options.output.empty();
  if (!output_given) options.output = (name.empty() ? "traffic" : name) + ".html";

  PageContents contents;
  contents.title = options.title.empty() ? name : options.title;
  contents.parts = read_parts(*settings.graph, options.request.inputs.symmetric, contents.notes);
  const Rank ranks = contents.parts.front().traffic.ranks;
  contents.sizes = read_sizes(*settings.graph, ranks, contents.notes);
  contents.run = read_run(*settings.graph, ranks, contents.notes);
  const bool machine_asked =
      settings.topology || !options.request.nodes.empty() || !options.mapping.empty();
  Compared compared;
  try {
    options.run = read_mapping_of_run(*settings.graph);
    if (options.before != kListOrder) options.file_before.emplace(options.before);
    compared = compare_with_run(options);
    contents.machine.emplace(machine_of(compared, options));
    const InputOrigins& origins = compared.inputs.origins;
    contents.notes.insert(contents.notes.begin(), fmt::format("Machine: {}. Outages: {}.",
                                                              origins.topology, origins.outages));
  } catch (const Error& error) {
    if (machine_asked) throw;
    contents.notes.push_back(
        fmt::format("Without a machine, this is about the traffic alone: {}", error.what()));
  }
  write_output(options.output, report_page(contents));
  if (!output_given) fmt::print(stderr, "tofa: wrote {}\n", options.output);
}

void add_report(Command& command) {
  auto options = std::make_shared<TrafficReportOptions>();
  add_placement_options(command, options->request);
  add_graph_argument(command, options->graph);
  auto* mapping =
      command
          .add_option("--mapping", options->mapping,
                      "Show this mapping instead of placing the ranks: a hostfile, a rankfile, or "
                      "tofa map's JSON")
          ->check(kNotEmpty)
          ->type_name("FILE");
  for (const char* search : {"--mapper", "--seed", "--time-limit", "--effort"})
    mapping->excludes(command.get_option(search));
  command
      .add_option(
          "--before", options->before,
          "Mapping to compare with; linear is ranks in list order (default: as the profile was "
          "taken, where that is known and the machine has these nodes, else linear)")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_option("--title", options->title, "Title (default: the graph's name)")
      ->type_name("TEXT");
  command
      .add_option("-o,--output", options->output,
                  "Page to write; - is standard output (default: the graph's name with .html)")
      ->type_name("FILE.html");
  add_site_report_options(command, options->site);
  for (const char* other : {"GRAPH", "--graph", "--mapping", "--output"})
    command.get_option("--site")->excludes(other);
  command.footer(
      "The page is one file that loads nothing: heatmaps, distributions, the machine, and what\n"
      "placement gains, as far as a topology or nodes are known.\n"
      "Examples:\n"
      "  tofa report app                      (writes app.html)\n"
      "  tofa report app --topology torus.toml --slots 4 -o app.html\n"
      "  tofa report app --topology torus.toml --before old --mapping new -o app.html\n"
      "  journalctl -t tofa --since -30d | tofa report --site -\n"
      "  tofa report --site /var/log/tofa.log --json");
  command.callback([options, &command] {
    options->slots_given = command.count("--slots") > 0;
    options->before_given = command.count("--before") > 0;
    options->site.files.empty() ? write_page(*options) : print_site_report(options->site);
  });
}

}  // namespace

extern constexpr Subcommand kReportCommand{
    "report", "Make a page about traffic and placement, or sum up a site's log", add_report};

}  // namespace tofa::cli
