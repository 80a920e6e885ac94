// SPDX-License-Identifier: BSD-3-Clause
// `tofa topology check|show|query`: is a topology file right, and what does it say about a node or
// a route?
#include <fmt/core.h>

#include <memory>

#include "common_options.hpp"
#include "slurm_client.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/site.hpp"
#include "topology_query.hpp"

namespace tofa::cli {
namespace {

struct TopologyOptions {
  std::string file;
  std::vector<std::string> hosts;
};

std::unique_ptr<Topology> load(const TopologyOptions& options) {
  Inputs inputs;
  if (!options.file.empty()) inputs.settings.topology = options.file;
  return load_topology(inputs);
}

Node require_node(const Topology& topology, const std::string& host) {
  if (const auto node = topology.find(host)) return *node;
  throw Error(ErrorKind::bad_input, fmt::format("node \"{}\" is not in the topology", host));
}

void check(const TopologyOptions& options) {
  const auto topology = load(options);
  fmt::print("{}: {} nodes, {} vertices\n", topology->describe(), topology->nodes(),
             topology->vertices());
}

void show_node(const Topology& topology, Node node) {
  const std::string location = topology.location(node);
  fmt::print("{}{}{}\n", topology.name(node), location.empty() ? "" : " ", location);
}

void show_route(const Topology& topology, Node from, Node to) {
  std::vector<Link> links;
  topology.route(from, to, links);
  fmt::print("{} hops: {}", links.size(), topology.name(from));
  for (const Link link : links)
    fmt::print(" > {}", topology.vertex_name(topology.link_target(link)));
  fmt::print("\n");
}

// Whether there is a topology that nobody has to name: one of the sources of inputs.hpp.
bool has_usual_topology() {
  const SiteDefaults defaults = load_site_defaults();
  return !defaults.topology.empty() || !defaults.health.empty() ||
         !slurm::resource_manager().topology().empty();
}

// `show HOST` is possible when the file has a default: a word that names no file is a host then.
// Before two hosts there can only be a file.
void sort_words(TopologyOptions& options) {
  if (options.file.empty() || options.hosts.size() == 2 || path_exists(options.file)) return;
  if (!has_usual_topology()) return;
  options.hosts.insert(options.hosts.begin(), options.file);
  options.file.clear();
}

void show(TopologyOptions& options) {
  sort_words(options);
  const auto topology = load(options);
  if (options.hosts.size() == 2) {
    show_route(*topology, require_node(*topology, options.hosts[0]),
               require_node(*topology, options.hosts[1]));
  } else if (options.hosts.size() == 1) {
    show_node(*topology, require_node(*topology, options.hosts[0]));
  } else {
    for (Node node = 0; node < topology->nodes(); ++node) show_node(*topology, node);
  }
}

void add_topology(Command& command) {
  auto options = std::make_shared<TopologyOptions>();
  command.require_subcommand(1);
  const auto file_argument = [&options](Command& subcommand) {
    subcommand
        .add_option("FILE", options->file,
                    "Topology file (default: $TOFA_TOPOLOGY, then the site file's, then the health "
                    "service's, then Slurm's)")
        ->check(kNotEmpty)
        ->type_name("");
  };
  Command* checker = command.add_subcommand("check", "Read the file and say what it describes");
  file_argument(*checker);
  checker->footer("Example:\n  tofa topology check torus.toml");
  checker->callback([options] { check(*options); });
  Command* viewer =
      command.add_subcommand("show", "List nodes and where they are, or one node, or a route");
  file_argument(*viewer);
  viewer->add_option("HOST", options->hosts, "One host: where it is. Two: the route between them.")
      ->expected(0, 2)
      ->type_name("");
  viewer->footer(
      "Examples:\n  tofa topology show torus.toml\n  tofa topology show torus.toml n000 n219");
  viewer->callback([options] { show(*options); });
  add_topology_query(command);
  command.footer(
      "Examples:\n  tofa topology check torus.toml\n  tofa topology show torus.toml n000 n219");
}

}  // namespace

extern constexpr Subcommand kTopologyCommand{"topology", "Check or show a topology file",
                                             add_topology};

}  // namespace tofa::cli
