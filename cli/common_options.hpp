// SPDX-License-Identifier: BSD-3-Clause
// Options and inputs that several subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "tofa/comm_graph.hpp"
#include "tofa/outage.hpp"
#include "tofa/place.hpp"
#include "tofa/topology.hpp"

namespace tofa::cli {

// Where the inputs of a placement come from. Paths that stay empty fall back to the site's
// defaults.
struct Inputs {
  std::string graph;
  std::string topology;
  std::string outages;
  std::string health;
  // Seconds that the job may run; 0: outages count as they are now. Unset, a placement within a job
  // of Slurm takes the time that the job has left.
  std::optional<double> horizon;
  bool placing = false;
};

// Refuses an option that was given without a value, as a shell does with an unset variable.
extern const CLI::Validator kNotEmpty;

void add_graph_option(CLI::App& command, Inputs& inputs);
void add_topology_option(CLI::App& command, Inputs& inputs);
void add_outage_options(CLI::App& command, Inputs& inputs);

// What a placement is made from and how.
struct PlacementRequest {
  Inputs inputs;
  std::string nodes;
  unsigned slots = 1;
  std::vector<std::string> needs;
  std::string objective = "completion-time";
  PlaceOptions place;
  bool quiet = false;
};

void add_placement_options(CLI::App& command, PlacementRequest& request);

CommGraph load_graph(const Inputs& inputs);
std::unique_ptr<Topology> load_topology(const Inputs& inputs);
// The same for nodes that are known, which alone are enough: where nothing describes the network,
// Slurm's topology.conf does, or none of them is nearer than another.
std::unique_ptr<Topology> topology_for(const PlacementRequest& request);
// From the file or the service that is named, else from both of the site's defaults, the worse
// estimate counting; no outages when there are none. Hosts that the topology lacks are worth a
// warning on standard error.
OutageMap load_outages(const Inputs& inputs, const Topology& topology);

// The nodes of a host list, each once, with `slots` slots for every time it is named; all nodes of
// the topology but for virtual hosts when the list is empty. Throws Error when the topology lacks
// one.
Allocation make_allocation(const Topology& topology, const std::string& hosts, unsigned slots);

// Everything that a placement needs, read in.
struct PlacementInputs {
  std::unique_ptr<Topology> topology;
  Allocation allocation;
  CommGraph graph;
  OutageMap outages;
};
// Also makes of the objective's name what `place` takes, and lets its time limit begin to run.
PlacementInputs load_placement_inputs(PlacementRequest& request);

// Places the ranks; shows how far it is on a terminal, unless asked to be quiet.
Placement place_with_progress(const PlacementInputs& inputs, const PlacementRequest& request);

// A mapping as read from a hostfile (line i names the node of rank i), an Open MPI rankfile, or the
// JSON report.
Mapping read_mapping(const std::string& path, const Topology& topology);
// The same, and it must place as many ranks as the graph has.
Mapping read_mapping_for(const std::string& path, const Topology& topology, const CommGraph& graph);

// Writes to a file, atomically, or to standard output when `path` is empty or "-".
void write_output(const std::string& path, const std::string& text);

}  // namespace tofa::cli
