// SPDX-License-Identifier: BSD-3-Clause
// What topo/tofa makes of a graph that a program declares, without launching it. HOSTS names the
// host of each process in the order of their ranks; prints that of each rank in the new order, and
// to stderr what was done, as topo_tofa_verbose does.
//
//     tofa-reorder GRAPH TOPOLOGY HOSTS
#include "reorder.h"

#include <fmt/core.h>

#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "tofa/graph_io.hpp"

namespace {

using namespace tofa;

void run(char** arguments) {
  const Traffic traffic = read_traffic(arguments[1]);
  std::vector<std::string> hosts;
  std::ifstream lines(arguments[3]);
  for (std::string host; lines >> host;) hosts.push_back(host);
  std::vector<tofa_edge> edges;
  edges.reserve(traffic.entries.size());
  for (const TrafficEntry& entry : traffic.entries) {
    edges.push_back({static_cast<int>(entry.sender), static_cast<int>(entry.receiver),
                     static_cast<int>(entry.value)});
  }
  std::vector<const char*> names;
  names.reserve(hosts.size());
  for (const std::string& host : hosts) names.push_back(host.c_str());
  tofa_reorder_task task = {};
  task.hosts = names.data();
  task.processes = static_cast<int>(hosts.size());
  task.nodes = static_cast<int>(traffic.ranks);
  task.edges = edges.data();
  task.edge_count = edges.size();
  task.topology = arguments[2];
  std::vector<int> new_rank_of(hosts.size());
  char told[1024] = "";
  const bool reordered = tofa_reorder(&task, new_rank_of.data(), told, sizeof told);
  fmt::print(stderr, "{}\n", told);
  std::vector<std::string> host_of = hosts;
  for (std::size_t i = 0; reordered && i < hosts.size(); ++i)
    host_of[static_cast<std::size_t>(new_rank_of[i])] = hosts[i];
  for (const std::string& host : host_of) fmt::print("{}\n", host);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 4) {
      fmt::print(stderr, "usage: {} GRAPH TOPOLOGY HOSTS\n", arguments[0]);
      return 2;
    }
    run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", arguments[0], error.what());
    return 1;
  }
  return 0;
}
