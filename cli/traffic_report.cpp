// SPDX-License-Identifier: BSD-3-Clause
// `tofa report`: a page about the traffic of a program and what placement makes of it; with --site,
// what placements brought to the site.
#include <fmt/core.h>

#include <memory>

#include "common_options.hpp"
#include "graph_files.hpp"
#include "mapping_file.hpp"
#include "page/page.hpp"
#include "site_report.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

constexpr const char* kListOrder = "linear";

struct TrafficReportOptions {
  SiteReportOptions site;
  PlacementRequest request;
  std::string graph;  // named without --graph
  std::string mapping;
  std::string before = kListOrder;
  bool slots_given = false;
  std::string title;
  std::string output;
};

// What the page compares, and what it is made from, which has to live as long.
struct Compared {
  PlacementInputs inputs;
  Mapping before;
  Mapping after;
};

// The graph, and the files of the same profile.
std::vector<TrafficPart> read_parts(const std::string& graph, SymmetricMatrix symmetric,
                                    std::vector<std::string>& notes) {
  std::vector<TrafficPart> parts;
  parts.push_back({"all", read_traffic(graph, symmetric)});
  const bool bytes = !counts_messages(parts.front().traffic);
  for (const char* name : {"all", "user", "collective", "one-sided", "io", "library"}) {
    for (const char* quantity : {"bytes", "messages"}) {
      const bool all = std::string_view(name) == "all";
      if (all && bytes == (std::string_view(quantity) == "bytes")) continue;  // it is there
      const std::string file = graph_file(graph, quantity, all ? "" : name);
      if (file.empty()) continue;
      Traffic traffic = read_traffic(file, symmetric);
      if (traffic.ranks == parts.front().traffic.ranks) {
        parts.push_back({name, std::move(traffic)});
      } else {
        notes.push_back(fmt::format("{} has another number of ranks and is left out.", file));
      }
    }
  }
  return parts;
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
    inputs = load_inputs(request.inputs, read_mapping_hosts(options.mapping));
    compared.after = read_mapping_for(options.mapping, *inputs.topology, inputs.graph);
    const unsigned slots = options.slots_given
                               ? request.slots
                               : most_ranks_on_a_node(compared.after, *inputs.topology);
    inputs.allocation = make_allocation(*inputs.topology, request.nodes, slots);
  }
  compared.before = options.before == kListOrder
                        ? default_mapping(*inputs.topology, inputs.allocation, inputs.graph.ranks())
                        : read_mapping_for(options.before, *inputs.topology, inputs.graph);
  return compared;
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
          options.before == kListOrder ? "Before: ranks in list order"
                                       : "Before: " + graph_name(options.before),
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
  const bool machine_asked =
      settings.topology || !options.request.nodes.empty() || !options.mapping.empty();
  Compared compared;
  try {
    compared = compare(options);
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
      .add_option("--before", options->before,
                  "Mapping to compare with; linear is ranks in list order")
      ->capture_default_str()
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
    options->site.files.empty() ? write_page(*options) : print_site_report(options->site);
  });
}

}  // namespace

extern constexpr Subcommand kReportCommand{
    "report", "Make a page about traffic and placement, or sum up a site's log", add_report};

}  // namespace tofa::cli
