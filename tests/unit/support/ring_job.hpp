// SPDX-License-Identifier: BSD-3-Clause
// A job on all nodes n0, n1, ... of a ring, with all that its task refers to. For what depends on
// how many ranks and slots there are, and not on the shape of the machine.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>

#include "support/mapping_task.hpp"

namespace tofa::test {

class RingJob {
 public:
  // With so many slots on each node, of which the first fails with this probability.
  RingJob(Node nodes, unsigned slots, CommGraph graph, double failing = 0)
      : ring_(parse_topology(fmt::format("[topology]\nkind = \"torus\"\nshape = [{}]\n"
                                         "nodes = \"n[0-{}]\"\n",
                                         nodes, nodes - 1),
                             "ring.toml")),
        graph_(std::move(graph)) {
    for (Node node = 0; node < nodes; ++node) allocation_.push_back({node, slots});
    if (failing > 0) outages_ = OutageMap({{"n0", failing, -1}}, *ring_);
  }

  // Refers to the job.
  MappingTask task(const std::string& objective = "hop-bytes") {
    return task_of(graph_, *ring_, outages_, allocation_, trace_, parse_objective(objective));
  }

 private:
  std::unique_ptr<Topology> ring_;
  CommGraph graph_;
  Allocation allocation_;
  OutageMap outages_;
  PlaceOptions options_;
  Trace trace_{options_};
};

}  // namespace tofa::test
