// SPDX-License-Identifier: BSD-3-Clause
// `tofa picture`: draws the machine before and after, with ranks, link loads and failing nodes.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "common_options.hpp"
#include "mapping_file.hpp"
#include "picture/picture_svg.hpp"
#include "picture_file.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

constexpr const char* kLinear = "linear";

using Hosts = std::vector<std::string>;

struct PictureOptions {
  Inputs inputs;
  std::string mapping;
  std::string before = kLinear;
  std::string nodes;
  unsigned slots = 0;  // 0: as many as the mapping puts on a node
  std::string title;
  std::string output;
};

// What people call a mapping or a graph: the name of its file, without folder and ending.
std::string name_of(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

Mapping mapping_before(const PictureOptions& options, const std::optional<MappingFile>& file,
                       const CommGraph& graph, const Topology& topology, const Mapping& after) {
  if (file) return file->mapping(topology, graph);
  const unsigned slots = options.slots > 0 ? options.slots : most_ranks_on_a_node(after, topology);
  return default_mapping(topology, make_allocation(topology, options.nodes, slots), graph.ranks());
}

void run(const PictureOptions& options) {
  const bool png = wants_png(options.output);
  const MappingFile file(options.mapping);
  std::optional<MappingFile> file_before;
  if (options.before != kLinear) file_before.emplace(options.before);
  InputLoader loader(options.inputs,
                     all_hosts({file.hosts(), file_before ? file_before->hosts() : Hosts(),
                                unique_hosts(options.nodes)}));
  const auto [traffic, neighbours, graph, graph_origin] = loader.graph();
  const NetworkInput network = loader.network();
  const Topology& topology = *network.topology;
  const OutageMap outages = loader.outages(network).map;
  const Mapping after = file.mapping(topology, graph);
  const Mapping before = mapping_before(options, file_before, graph, topology, after);

  Picture picture;
  picture.title = options.title;
  if (picture.title.empty()) {
    picture.title = fmt::format("{}: {} ranks on a {}", name_of(*options.inputs.settings.graph),
                                graph.ranks(), topology.describe());
  }
  picture.bytes = !counts_messages(traffic);
  picture.unlike = topology.link_costs() != nullptr;
  picture.before = {options.before == kLinear ? "Before: ranks in list order"
                                              : "Before: " + name_of(options.before),
                    state_of(graph, topology, outages, before)};
  picture.after = {"After: " + name_of(options.mapping), state_of(graph, topology, outages, after)};
  const std::size_t most = most_label_characters(topology.nodes());
  picture.layout = lay_out(topology, std::max(longest_label(picture.before.state, most),
                                              longest_label(picture.after.state, most)));
  const std::string svg = picture_svg(picture, outages);
  write_output(options.output, png ? svg_to_png(svg) : svg);
}

void add_picture(Command& command) {
  auto options = std::make_shared<PictureOptions>();
  add_graph_option(command, options->inputs);
  add_topology_option(command, options->inputs);
  command
      .add_option("--mapping", options->mapping,
                  "Mapping to draw on the right: a hostfile whose line i names the node of rank i, "
                  "a rankfile, or tofa map's JSON")
      ->required()
      ->check(kNotEmpty)
      ->type_name("FILE");
  command
      .add_option("--before", options->before,
                  "Mapping to draw on the left; linear is ranks in list order")
      ->capture_default_str()
      ->check(kNotEmpty)
      ->type_name("FILE");
  command
      .add_option("--nodes", options->nodes,
                  "Nodes that linear fills, in order (default: all of the topology)")
      ->check(kNotEmpty)
      ->type_name("HOSTLIST");
  command
      .add_option("--slots", options->slots,
                  "Ranks per node in linear (default: as many as the fullest node of --mapping)")
      ->check(range(1U, 1'000'000U));
  add_outage_options(command, options->inputs);
  command.add_option("--title", options->title, "Title (default: what is drawn)")
      ->type_name("TEXT");
  command
      .add_option("-o,--output", options->output, "Picture to write; - is SVG to standard output")
      ->required()
      ->type_name("FILE.svg|.png");
  command.footer(
      "Toruses, meshes, trees, fat trees and flat networks can be drawn. Thicker and darker lines\n"
      "carry more; a cross marks a dead node, a triangle a suspect one.\n"
      "Examples:\n"
      "  tofa map --graph app --topology torus.toml -o hosts\n"
      "  tofa picture --graph app --topology torus.toml --mapping hosts -o app.svg\n"
      "  tofa picture --graph app --topology torus.toml --before old --mapping hosts --outages\n"
      "  outages.txt -o app.png");
  command.callback([options] { run(*options); });
}

}  // namespace

extern constexpr Subcommand kPictureCommand{
    "picture", "Draw ranks, link loads and failing nodes, before and after", add_picture};

}  // namespace tofa::cli
