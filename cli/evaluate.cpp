// SPDX-License-Identifier: BSD-3-Clause
// `tofa evaluate`: what a given mapping costs.
#include <memory>

#include "common_options.hpp"
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
  const auto topology = load_topology(options.inputs);
  const CommGraph graph = load_graph(options.inputs);
  const Mapping mapping = read_mapping_for(options.mapping, *topology, graph);
  const OutageMap outages = load_outages(options.inputs, *topology);
  const Metrics metrics = evaluate(graph, *topology, outages, mapping);
  write_output("", options.json ? metrics_json(metrics).dump(2) + "\n" : metrics_text(metrics));
}

}  // namespace

void add_evaluate(CLI::App& app, int& /*status*/) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command = app.add_subcommand("evaluate", "Say what a mapping costs");
  add_graph_option(*command, options->inputs);
  add_topology_option(*command, options->inputs);
  command
      ->add_option("--mapping", options->mapping,
                   "Mapping: a hostfile whose line i names the node of rank i, a rankfile, or tofa "
                   "map's JSON")
      ->required()
      ->type_name("FILE");
  add_outage_options(*command, options->inputs);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Example:\n"
      "  tofa evaluate --graph app --topology torus.toml --mapping hosts --outages outages.txt");
  command->callback([options] { run(*options); });
}

}  // namespace tofa::cli
