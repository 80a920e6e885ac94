// SPDX-License-Identifier: BSD-3-Clause
// `tofa health topology`: the topology file that the service hands out, as jobs get it, but asked
// for as a whole and not kept.
#include "health_topology.hpp"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "common_options.hpp"
#include "health_service.hpp"
#include "report.hpp"
#include "tofa/error.hpp"
#include "tofa/topology.hpp"
#include "tofa/topology_query.hpp"

namespace tofa::cli {
namespace {

struct HandedOutOptions {
  HealthQuery query;
  bool json = false;
  std::string output;
};

void print_handed_out(const HandedOutOptions& options) {
  const HealthQuery query = completed(options.query);
  const auto text = query_topology(query, UserFolder(""));
  if (!text) {
    throw Error(ErrorKind::unmet,
                fmt::format("the health service at {} hands out no topology; start "
                            "tofa-pmix-gateway there with --topology FILE",
                            query.uri));
  }
  const auto topology = parse_topology(*text, "topology of the health service at " + query.uri);
  if (!options.json) return write_output(options.output, *text);
  const nlohmann::ordered_json json{{"version", 1},
                                    {"description", topology->describe()},
                                    {"nodes", topology->nodes()},
                                    {"signed", !query.key.empty()},
                                    {"text", *text}};
  write_output(options.output, json_text(json));
}

}  // namespace

void add_health_topology(Command& health) {
  auto options = std::make_shared<HandedOutOptions>();
  Command* command =
      health.add_subcommand("topology", "The topology file that the service hands out");
  add_query_options(*command, options->query);
  command->add_flag("--json", options->json, "As JSON, with what the file describes");
  command->add_option("-o,--output", options->output, "Write to this file (default: print)")
      ->type_name("FILE");
  command->footer(
      "Placements use it where nobody names a topology.\n"
      "Example:\n  tofa health topology -o site.toml");
  command->callback([options] { print_handed_out(*options); });
}

}  // namespace tofa::cli
