// SPDX-License-Identifier: BSD-3-Clause
// `tofa heatmap`: draws who talks to whom.
#include "picture/heatmap.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "common_options.hpp"
#include "picture_file.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

struct HeatmapOptions {
  Inputs inputs;
  std::string graph;  // named without --graph
  std::string output;
};

// The graph's name with another ending, in the working directory.
std::string picture_of(const std::string& graph) {
  std::filesystem::path name = std::filesystem::path(graph).filename();
  if (name.extension() == ".mtx") name.replace_extension();  // of app.bytes.mtx
  if (name.extension() == ".bytes") name.replace_extension();
  if (name.empty()) name = "heatmap";
  return name.string() + ".svg";
}

void run(HeatmapOptions& options) {
  const std::string graph = options.inputs.settings.graph.value_or(options.graph);
  if (graph.empty())
    throw Error(ErrorKind::bad_input, "whose heatmap? Name a graph, as in tofa heatmap app");
  const bool output_given = !options.output.empty();
  if (!output_given) options.output = picture_of(graph);
  const bool png = wants_png(options.output);
  const Traffic traffic = load_traffic(graph, options.inputs.symmetric);
  const std::string title = std::filesystem::path(graph).filename().string();
  const std::string svg = heatmap_svg(traffic, title);
  write_output(options.output, png ? svg_to_png(svg) : svg);
  if (!output_given) fmt::print(stderr, "tofa: wrote {}\n", options.output);
}

void add_heatmap(Command& command) {
  auto options = std::make_shared<HeatmapOptions>();
  add_graph_option(command, options->inputs);
  command.get_option("--graph")->required(false);
  command.add_option("GRAPH", options->graph, "The same as --graph")
      ->check(kNotEmpty)
      ->type_name("")
      ->excludes("--graph");
  command
      .add_option("-o,--output", options->output,
                  "Picture to write; - is SVG to standard output (default: the graph's name with "
                  ".svg)")
      ->type_name("FILE.svg|.png");
  command.footer(
      "Darker cells exchanged more bytes, on a logarithmic scale.\n"
      "Examples:\n"
      "  tofa heatmap app                     (writes app.svg)\n"
      "  tofa heatmap --graph app -o app.svg\n"
      "  tofa heatmap --graph app.messages.mtx -o messages.png");
  command.callback([options] { run(*options); });
}

}  // namespace

extern constexpr Subcommand kHeatmapCommand{"heatmap", "Draw who talks to whom", add_heatmap};

}  // namespace tofa::cli
