// SPDX-License-Identifier: BSD-3-Clause
// `tofa evaluate`: what a given mapping costs.
#include <memory>

#include "common_options.hpp"
#include "mapping_file.hpp"
#include "report.hpp"
#include "subcommands.hpp"

namespace tofa::cli {
namespace {

struct EvaluateOptions {
  Inputs inputs;
  std::string mapping;
  bool json = false;
};

void run(const EvaluateOptions& options) {
  const MappingFile file(options.mapping);
  const PlacementInputs inputs = load_inputs(options.inputs, file.hosts());
  const Mapping mapping = file.mapping(*inputs.topology, inputs.graph);
  const Metrics metrics = evaluate(inputs.graph, *inputs.topology, inputs.outages, mapping);
  write_output("", options.json ? json_text(metrics_json(metrics)) : metrics_text(metrics));
}

void add_evaluate(Command& command) {
  auto options = std::make_shared<EvaluateOptions>();
  add_graph_option(command, options->inputs);
  add_topology_option(command, options->inputs);
  command
      .add_option("--mapping", options->mapping,
                  "Mapping: a hostfile whose line i names the node of rank i, a rankfile, or tofa "
                  "map's JSON")
      ->required()
      ->type_name("FILE");
  add_outage_options(command, options->inputs);
  add_link_load_options(command, options->inputs);
  command.add_flag("--json", options->json, "Print JSON");
  command.footer(
      "Example:\n"
      "  tofa evaluate --graph app --topology torus.toml --mapping hosts --outages outages.txt");
  command.callback([options] { run(*options); });
}

}  // namespace

extern constexpr Subcommand kEvaluateCommand{"evaluate", "Say what a mapping costs", add_evaluate};

}  // namespace tofa::cli
