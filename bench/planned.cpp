// SPDX-License-Identifier: BSD-3-Clause
// Places ranks with the work that is planned for a time limit, however long that takes: what is
// found does not depend on what else the machine does. Prints what the objective costs per byte,
// the seconds of the processors and the mapper it grew from, for one seed after the other, which go
// from 1 up.
//
//     tofa-planned GRAPH TOPOLOGY SLOTS LIMIT SEEDS [MAPPER [OBJECTIVE [HOSTLIST]]]
//
// Without a list of hosts the job has all nodes.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <exception>

#include "mapping/search/work_plan.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/place.hpp"

namespace {

using namespace tofa;

Allocation allocate(const Topology& topology, unsigned slots, const char* hostlist) {
  Allocation allocation;
  if (hostlist == nullptr) {
    for (Node node = 0; node < topology.nodes(); ++node) allocation.push_back({node, slots});
  } else {
    for (const std::string& host : expand_hostlist(hostlist)) {
      allocation.push_back({topology.find(host).value(), slots});
    }
  }
  return allocation;
}

void run(char** arguments, const char* mapper, const char* objective, const char* hostlist) {
  constexpr double unlimited = 3600;
  const CommGraph graph(read_traffic(arguments[1]));
  const auto topology = read_topology(arguments[2]);
  const Allocation allocation =
      allocate(*topology, static_cast<unsigned>(std::atoi(arguments[3])), hostlist);
  PlaceOptions options;
  options.mapper = mapper;
  options.objective = parse_objective(objective);
  options.time_limit_seconds = std::atof(arguments[4]);
  options.limit_was_given = true;
  options.work = planned_work(graph, options);
  options.time_limit_seconds = unlimited;
  const double bytes = std::max<double>(static_cast<double>(graph.total_bytes()), 1);
  const int seeds = std::atoi(arguments[5]);
  for (int seed = 1; seed <= seeds; ++seed) {
    options.seed = static_cast<std::uint64_t>(seed);
    const std::clock_t start = std::clock();
    const Placement placement = place(graph, *topology, {}, allocation, options);
    fmt::print("{} {:.4f} {}\n", placement.chosen_cost / bytes,
               static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, placement.origin);
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count < 6 || count > 9) {
      fmt::print(stderr,
                 "usage: {} GRAPH TOPOLOGY SLOTS LIMIT SEEDS [MAPPER [OBJECTIVE [HOSTLIST]]]\n",
                 arguments[0]);
      return 2;
    }
    run(arguments, count > 6 ? arguments[6] : "auto", count > 7 ? arguments[7] : "hop-bytes",
        count > 8 ? arguments[8] : nullptr);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", arguments[0], error.what());
    return 1;
  }
}
