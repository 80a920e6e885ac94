// SPDX-License-Identifier: BSD-3-Clause
// What a placement is made from, the graph, the network and the suspect nodes, and the one set of
// rules by which the command, the mapper and the plugin find it:
//
//   - What was asked for counts; else the environment; else what the launcher was configured with;
//     else the site file; else, for the network, the topology that the health service hands out,
//     which somebody wrote for placements; else what the resource manager knows; else something is
//     assumed. Every input tells where it came from.
//   - Each source fails alone. A default that cannot be used is worth one warning, which says what
//     is assumed instead, and keeps nothing from starting. The same goes for what was asked for
//     where a job is to be started; where somebody only asks for a placement, that is an error.
//   - What is wrong with the health service is told once, where it is asked for outages.
//   - A topology that was asked for and lacks a node is an error for everybody.
//
// The library knows no resource manager: callers that do say what it knows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/link_load.hpp"
#include "tofa/outage.hpp"
#include "tofa/site.hpp"
#include "tofa/topology.hpp"

namespace tofa {

struct HealthQuery;

// Who asks, which decides what becomes of a source that fails.
enum class Leniency {
  command,   // what was asked for must do
  launcher,  // the job starts, placed with what is left
  strict,    // every warning is an error
};

// Problems that a placement can be made in spite of, and what is done instead.
class InputNotes {
 public:
  explicit InputNotes(Leniency leniency) : leniency_(leniency) {}

  Leniency leniency() const { return leniency_; }
  // One warning; under strict an Error (unmet).
  void degraded(const std::string& problem, const std::string& instead);
  // The same from within a catch block, for a source that failed: what a command was `asked` for is
  // thrown again.
  void failed(bool asked, const std::string& problem, const std::string& instead);
  // A warning that never is an error.
  void warn(const std::string& text) { warnings_.push_back(text); }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Leniency leniency_;
  std::vector<std::string> warnings_;
};

// What a resource manager knows, asked when it matters only.
struct ResourceManager {
  std::string name;                       // for people: "Slurm"
  std::function<std::string()> topology;  // a file; empty when there is none
  // Seconds that the job may still run, 0 when that is not known or would not matter.
  std::function<double(const OutageList&)> time_left;
};

struct InputRequest {
  // What was asked for. Nothing: not asked for. An empty text: none is wanted, not even a default.
  std::optional<std::string> graph, topology, outages, health, machine, link_load;
  PairCostRule pair_cost;
  std::optional<double> horizon;                           // seconds
  SymmetricMatrix symmetric = SymmetricMatrix::automatic;  // how such a graph is meant
  SiteDefaults launcher;                                   // what the launcher was configured with
  ResourceManager manager;

  Rank ranks = 0;                  // of the job; 0: as the graph says
  std::vector<std::string> nodes;  // each once; empty: all of the topology
  // Nodes that the topology lacks may be left out, not all of them.
  bool some_nodes_will_do = false;

  std::string query_program;    // that asks the health service; empty: it is looked for, also in
  std::string query_directory;  // this folder
};

struct GraphInput {
  Traffic traffic;  // as many ranks as the job; empty when `neighbours`
  bool neighbours = false;
  CommGraph graph;
  std::string origin;
};

struct NetworkInput {
  std::unique_ptr<Topology> topology;
  std::vector<Node> node_of;  // of each of the nodes asked for; kNoNode where the topology lacks it
  bool assumed = false;       // all nodes are taken to be equally far from each other
  std::string file;           // that it was read from; empty for one of the health service's
  std::string service;        // that handed it out; empty: none did
  std::string fingerprint;    // of what the topology was made of
  std::string named_by;       // empty: it was asked for, or is assumed
  std::string origin;
};

struct OutageInput {
  OutageMap map;
  std::string origin;
};

// What a node looks like inside. Whether that can be read and does is seen when ranks are on nodes.
struct MachineInput {
  std::string source;    // what read_machine() takes; empty: none
  std::string named_by;  // empty: it was asked for
};

class InputReader {
 public:
  InputReader(InputRequest request, InputNotes& notes);

  // Throws Error (bad_input) where neither a graph nor the number of ranks is known.
  GraphInput graph();
  // Throws Error where no topology can be had and the nodes are not known, so that nothing can be
  // assumed.
  NetworkInput network();
  OutageInput outages(const NetworkInput& network);
  MachineInput machine();
  // What others put on the links of the network, of which its topology then knows what they cost;
  // nothing where nobody says.
  LinkUse link_load(NetworkInput& network);

 private:
  struct Source {
    std::string value;     // path or address; empty: none
    std::string named_by;  // empty: it was asked for
    bool asked() const { return named_by.empty(); }
  };

  const SiteDefaults& defaults();
  Source usual(const std::string& key, std::string SiteDefaults::*value);
  Source topology_source();
  Source health_source();
  bool outages_ask(const Source& service);
  std::vector<Source> outage_sources();  // the file and the service, empty where there is none
  Source link_load_source();
  LinkUse read_link_load(const Source& source, const NetworkInput& network);
  void refuse_pipe(const std::string& path) const;

  GraphInput assume_neighbours(const std::string& why) const;
  void fit(Traffic& traffic);
  NetworkInput read_network(const Source& source) const;
  NetworkInput make_network(const std::string& text, const Source& source) const;
  std::optional<std::string> ask_topology(const Source& service, std::string& trust);
  std::optional<NetworkInput> service_network();
  NetworkInput assume_flat(const std::string& why) const;
  std::vector<Node> locate(const Topology& topology, const Source& source) const;
  OutageList ask_health(const HealthQuery& query, const NetworkInput& network) const;
  HealthQuery health_query(const std::string& uri);
  static std::string trust_in(const HealthQuery& query);
  void name_unknown_hosts(const OutageList& list, const Source& source,
                          const NetworkInput& network);

  InputRequest request_;
  InputNotes& notes_;
  std::optional<SiteDefaults> defaults_;
  std::string no_answer_;  // why the health service did not answer when it was asked first
};

}  // namespace tofa
