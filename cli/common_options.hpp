// SPDX-License-Identifier: BSD-3-Clause
// Options and inputs that several subcommands share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "tofa/comm_graph.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/inputs.hpp"
#include "tofa/outage.hpp"
#include "tofa/place.hpp"
#include "tofa/settings.hpp"
#include "tofa/topology.hpp"

namespace tofa::cli {

// What the options say of inputs; see tofa/inputs.hpp for the rules.
struct Inputs {
  PlacementSettings settings;
  SymmetricMatrix symmetric = SymmetricMatrix::automatic;
  bool placing = false;  // a job of Slurm, which may have a time limit
  bool needs_machine = false;
  bool best_effort = false;  // a job is to be started: nothing that cannot be read is an error
  std::vector<std::string> defaults;  // KEY=VALUE each, of a launcher's configuration
};

void add_graph_option(Command& command, Inputs& inputs);
// Where --graph is there, the graph may be named without it, too.
void add_graph_argument(Command& command, std::string& graph);
// How a symmetric matrix is meant.
void add_symmetric_options(Command& command, SymmetricMatrix& symmetric);
void add_topology_option(Command& command, Inputs& inputs);
void add_link_load_options(Command& command, Inputs& inputs);
void add_outage_options(Command& command, Inputs& inputs);
void add_machine_option(Command& command, Inputs& inputs);

// What a placement is made from and how.
struct PlacementRequest {
  Inputs inputs;
  std::string nodes;
  unsigned slots = 1;
  PlaceOptions place;  // what the settings mean, once it has started
  bool quiet = false;
};

void add_placement_options(Command& command, PlacementRequest& request);

// Says on standard error how a file was taken that can be read in two ways.
Traffic load_traffic(const std::string& path, SymmetricMatrix symmetric);
std::unique_ptr<Topology> load_topology(const Inputs& inputs);

// Reads the inputs of a placement on nodes that are known by name, each once, or on all nodes of
// the topology; tells on standard error what could not be read and what is assumed.
class InputLoader {
 public:
  InputLoader(const Inputs& inputs, std::vector<std::string> nodes, Rank ranks = 0,
              bool some_nodes_will_do = false);
  InputLoader(const InputLoader&) = delete;  // what reads refers to the notes in here
  InputLoader& operator=(const InputLoader&) = delete;
  GraphInput graph();
  NetworkInput network();
  LinkUse link_load(NetworkInput& network);
  OutageInput outages(const NetworkInput& network);
  MachineInput machine();

 private:
  void tell();  // the warnings that have come up since the last time

  bool nodes_known_;
  InputNotes notes_;
  InputReader reader_;
  std::size_t told_ = 0;
};

// The names of a host list, each once.
std::vector<std::string> unique_hosts(const std::string& hosts);

// The nodes of a host list, each once, with `slots` slots for every time it is named; all nodes of
// the topology but for virtual hosts when the list is empty. Throws Error when the topology lacks
// one.
Allocation make_allocation(const Topology& topology, const std::string& hosts, unsigned slots);

// Where the inputs came from, or what is assumed instead; for people.
struct InputOrigins {
  std::string graph, topology, outages;
};

// Everything that a placement needs, read in.
struct PlacementInputs {
  std::unique_ptr<Topology> topology;
  Allocation allocation;
  CommGraph graph;
  OutageMap outages;
  MachineInput machine;  // where one is needed
  InputOrigins origins;
  bool assumed_network = false;  // the topology is the nodes that were named and nothing else
  std::string network;           // a fingerprint of what the topology was made of
};
// All but the allocation.
PlacementInputs load_inputs(const Inputs& inputs, std::vector<std::string> nodes, Rank ranks = 0,
                            bool some_nodes_will_do = false);
// Makes of the settings what `place` takes, and lets its time limit begin to run: at once, or,
// where a job is to be started, so that a service that is silent costs no quality, when all is
// read.
void start(PlacementRequest& request);
void start_after_reading(PlacementRequest& request);
// Starts, and reads what there is.
PlacementInputs load_placement_inputs(PlacementRequest& request);

// Places the ranks; shows how far it is on a terminal, unless asked to be quiet.
Placement place_with_progress(const PlacementInputs& inputs, const PlacementRequest& request);

// Writes to a file, atomically, or to standard output when `path` is empty or "-".
void write_output(const std::string& path, const std::string& text);

}  // namespace tofa::cli
