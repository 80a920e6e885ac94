// SPDX-License-Identifier: BSD-3-Clause
// `tofa heatmap`: draws who talks to whom.
#include "tofa/heatmap.hpp"

#include <filesystem>
#include <memory>

#include "common_options.hpp"
#include "subcommands.hpp"
#include "svg_to_png.hpp"
#include "tofa/error.hpp"
#include "tofa/graph_io.hpp"

namespace tofa::cli {
namespace {

struct HeatmapOptions {
  Inputs inputs;
  std::string output;
};

// Checked before anything is read, so that a slip of the pen is told at once.
bool wants_png(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  if (extension == ".png") return true;
  if (extension == ".svg" || output == "-") return false;
  throw Error(ErrorKind::bad_input, output, 0, "the name of a heatmap must end in .svg or .png");
}

void run(const HeatmapOptions& options) {
  const bool png = wants_png(options.output);
  const Traffic traffic = read_traffic(options.inputs.graph);
  const std::string title = std::filesystem::path(options.inputs.graph).filename().string();
  const std::string svg = heatmap_svg(traffic, title);
  write_output(options.output, png ? svg_to_png(svg) : svg);
}

}  // namespace

void add_heatmap(CLI::App& app, int& /*status*/) {
  auto options = std::make_shared<HeatmapOptions>();
  CLI::App* command = app.add_subcommand("heatmap", "Draw who talks to whom");
  add_graph_option(*command, options->inputs);
  command
      ->add_option("-o,--output", options->output, "Picture to write; - is SVG to standard output")
      ->required()
      ->type_name("FILE.svg|.png");
  command->footer(
      "Darker cells exchanged more bytes, on a logarithmic scale.\n"
      "Examples:\n"
      "  tofa heatmap --graph app -o app.svg\n"
      "  tofa heatmap --graph app.messages.mtx -o messages.png");
  command->callback([options] { run(*options); });
}

}  // namespace tofa::cli
