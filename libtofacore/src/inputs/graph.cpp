// SPDX-License-Identifier: BSD-3-Clause
// Who talks to whom: the profile that was asked for, made to fit the job; without one, ranks are
// taken to talk to their neighbours.
#include <fmt/format.h>

#include <utility>

#include "tofa/error.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/inputs.hpp"

namespace tofa {
namespace {

constexpr const char* kNeighbours = "ranks are taken to talk to their neighbours in rank order";

}  // namespace

GraphInput InputReader::assume_neighbours(const std::string& why) const {
  GraphInput input;
  input.neighbours = true;
  input.graph = CommGraph::neighbours_in_rank_order(request_.ranks);
  input.origin = fmt::format("{}; {}", why, kNeighbours);
  return input;
}

// A profile of another number of ranks is used as far as it goes; the command wants to know first.
void InputReader::fit(Traffic& traffic) {
  const Rank ranks = request_.ranks;
  const Rank profiled = traffic.ranks;
  if (ranks == 0 || profiled == ranks) return;
  if (notes_.leniency() == Leniency::command) {
    throw Error(ErrorKind::bad_input, *request_.graph, 0,
                fmt::format("has {} ranks, not {}; profile the application with that many, or "
                            "leave -n out",
                            profiled, ranks));
  }
  const std::string problem =
      fmt::format("graph {} describes {} ranks, the job has {}; profile a run with {} ranks",
                  *request_.graph, profiled, ranks, ranks);
  notes_.degraded(
      problem, profiled < ranks
                   ? fmt::format("ranks {} to {} are placed as if they talked to no one", profiled,
                                 ranks - 1)
                   : fmt::format("what it says about ranks {} and above is ignored", ranks));
  traffic.ranks = ranks;
  std::erase_if(traffic.entries, [ranks](const TrafficEntry& e) {
    return e.sender >= ranks || e.receiver >= ranks;
  });
}

GraphInput InputReader::graph() {
  if (!request_.graph || request_.graph->empty()) {
    if (request_.ranks > 0) return assume_neighbours("none given");
    throw Error(ErrorKind::bad_input, "no graph, and no number of ranks");
  }
  GraphInput input;
  try {
    refuse_pipe(*request_.graph);
    input.traffic = read_traffic(*request_.graph, request_.symmetric);
    if (!input.traffic.note.empty()) {
      notes_.warn(fmt::format("{}: {}", *request_.graph, input.traffic.note));
    }
    input.graph = CommGraph(input.traffic);
  } catch (const std::exception& error) {
    if (request_.ranks == 0) throw;
    notes_.failed(true, error.what(), kNeighbours);
    return assume_neighbours("not readable");
  }
  const Rank profiled = input.traffic.ranks;
  fit(input.traffic);
  if (input.traffic.ranks != profiled) input.graph = CommGraph(input.traffic);
  input.origin = fmt::format("{} ({} pairs, {} bytes)", *request_.graph, input.graph.pairs(),
                             input.graph.total_bytes());
  return input;
}

}  // namespace tofa
