// SPDX-License-Identifier: BSD-3-Clause
// `tofa heatmap`: draws who talks to whom.
#include "picture/heatmap.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "common_options.hpp"
#include "graph_files.hpp"
#include "mapping_file.hpp"
#include "picture_file.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

constexpr const char* kLinearScale = "linear";

struct HeatmapOptions {
  Inputs inputs;
  std::string graph;  // named without --graph
  std::string unit;   // empty: what the graph counts
  std::string scale = "log";
  std::string mapping;
  std::string title;
  std::string output;
};

// The graph's name with another ending, in the working directory.
std::string picture_of(const std::string& graph) {
  const std::string name = graph_name(graph);
  return (name.empty() ? "heatmap" : name) + ".svg";
}

// The graph, or the file beside it that counts what is asked for.
Traffic traffic_of(const std::string& graph, const HeatmapOptions& options) {
  if (options.unit.empty()) return load_traffic(graph, options.inputs.symmetric);
  const std::string file = graph_file(graph, options.unit);
  Traffic traffic = load_traffic(file.empty() ? graph : file, options.inputs.symmetric);
  if (counts_messages(traffic) != (options.unit == "messages")) {
    throw Error(ErrorKind::bad_input, graph, 0,
                fmt::format("counts no {0}, and there is no such file with .{0}.mtx at its end "
                            "beside it; leave --unit out",
                            options.unit));
  }
  return traffic;
}

RankOrder order_of(const std::string& mapping, Rank ranks) {
  if (mapping.empty()) return {};
  const std::vector<std::string> hosts = MappingFile(mapping).rank_hosts();
  if (hosts.size() != ranks) {
    throw Error(ErrorKind::bad_input, mapping, 0,
                fmt::format("places {} ranks, but the graph has {}", hosts.size(), ranks));
  }
  return order_by_host(hosts);
}

void run(HeatmapOptions& options) {
  const std::string graph = options.inputs.settings.graph.value_or(options.graph);
  if (graph.empty())
    throw Error(ErrorKind::bad_input, "whose heatmap? Name a graph, as in tofa heatmap app");
  const bool output_given = !options.output.empty();
  if (!output_given) options.output = picture_of(graph);
  const bool png = wants_png(options.output);
  const Traffic traffic = traffic_of(graph, options);
  const std::string title =
      options.title.empty() ? std::filesystem::path(graph).filename().string() : options.title;
  const HeatmapStyle style{
      options.scale == kLinearScale ? ScaleKind::linear : ScaleKind::logarithmic,
      order_of(options.mapping, traffic.ranks)};
  const std::string svg = heatmap_svg(traffic, title, style);
  write_output(options.output, png ? svg_to_png(svg) : svg);
  if (!output_given) fmt::print(stderr, "tofa: wrote {}\n", options.output);
}

void add_heatmap(Command& command) {
  auto options = std::make_shared<HeatmapOptions>();
  add_graph_option(command, options->inputs);
  add_graph_argument(command, options->graph);
  command
      .add_option("--unit", options->unit,
                  "What to show: bytes or messages, from the file of the profile that counts them "
                  "(default: what the graph counts)")
      ->check(one_of({"bytes", "messages"}));
  command.add_option("--scale", options->scale, "Scale of the colours")
      ->capture_default_str()
      ->check(one_of({"log", kLinearScale}));
  command
      .add_option("--mapping", options->mapping,
                  "Sort ranks by node and outline the nodes: a hostfile, a rankfile, or tofa map's "
                  "JSON")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_option("--title", options->title, "Title (default: the graph's name)")
      ->type_name("TEXT");
  command
      .add_option("-o,--output", options->output,
                  "Picture to write; - is SVG to standard output (default: the graph's name with "
                  ".svg)")
      ->type_name("FILE.svg|.png");
  command.footer(
      "The more traffic, the darker the cell. tofa report makes a page with much more on it.\n"
      "Examples:\n"
      "  tofa heatmap app                     (writes app.svg)\n"
      "  tofa heatmap --graph app -o app.svg\n"
      "  tofa heatmap app --unit messages --scale linear -o messages.png\n"
      "  tofa heatmap app --mapping hosts -o nodes.svg");
  command.callback([options] { run(*options); });
}

}  // namespace

extern constexpr Subcommand kHeatmapCommand{"heatmap", "Draw who talks to whom", add_heatmap};

}  // namespace tofa::cli
