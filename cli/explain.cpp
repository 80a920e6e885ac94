// SPDX-License-Identifier: BSD-3-Clause
// `tofa explain`: why a mapping is better than the default, whether it is computed here or given.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "common_options.hpp"
#include "explain_report.hpp"
#include "mapping_file.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

struct ExplainOptions {
  PlacementRequest request;
  std::string mapping;
  bool json = false;
};

std::vector<Node> nodes_of(const Allocation& allocation) {
  std::vector<Node> nodes;
  nodes.reserve(allocation.size());
  for (const AllocationEntry& entry : allocation) nodes.push_back(entry.node);
  return nodes;
}

Mapping read_given_mapping(const ExplainOptions& options, const PlacementInputs& inputs) {
  Mapping mapping = MappingFile(options.mapping).mapping(*inputs.topology, inputs.graph);
  std::vector<bool> allocated(inputs.topology->nodes());
  for (const AllocationEntry& entry : inputs.allocation) allocated[entry.node] = true;
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    if (!allocated[mapping[rank]]) {
      throw Error(ErrorKind::bad_input, options.mapping, 0,
                  fmt::format("puts rank {} on node \"{}\", which --nodes does not name", rank,
                              inputs.topology->name(mapping[rank])));
    }
  }
  return mapping;
}

void run(ExplainOptions& options) {
  const PlacementInputs inputs = load_placement_inputs(options.request);
  std::unique_ptr<Placement> placement;
  Mapping chosen;
  if (options.mapping.empty()) {
    placement = std::make_unique<Placement>(place_with_progress(inputs, options.request));
    chosen = placement->mapping;
  } else {
    chosen = read_given_mapping(options, inputs);
  }
  const Mapping linear = default_mapping(*inputs.topology, inputs.allocation, inputs.graph.ranks());
  const Explanation explanation =
      explain(inputs.graph, *inputs.topology, inputs.outages, nodes_of(inputs.allocation), linear,
              chosen, kMostExplained, options.request.place.abort_cost);
  const ExplainReport report{*inputs.topology, explanation, options.request.place, placement.get()};
  write_output("", options.json ? json_text(explain_json(report)) : explain_text(report));
}

void add_explain(Command& command) {
  auto options = std::make_shared<ExplainOptions>();
  add_placement_options(command, options->request);
  auto* mapping =
      command
          .add_option("--mapping", options->mapping,
                      "Explain this mapping instead of computing one: a hostfile, a rankfile, or "
                      "tofa map's JSON")
          ->check(kNotEmpty)
          ->type_name("FILE");
  for (const char* search : {"--mapper", "--seed", "--time-limit", "--effort"}) {
    mapping->excludes(command.get_option(search));
  }
  command.add_flag("--json", options->json, "Print JSON");
  command.footer(
      "Examples:\n"
      "  tofa explain --graph app --topology torus.toml\n"
      "  tofa explain --graph app --topology torus.toml --nodes 'n[000-063]' --outages outages.txt "
      "--json\n"
      "  tofa explain --graph app --topology torus.toml --mapping hosts");
  command.callback([options] { run(*options); });
}

}  // namespace

extern constexpr Subcommand kExplainCommand{
    "explain", "Say why a placement is better than the default", add_explain};

}  // namespace tofa::cli
