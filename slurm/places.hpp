// SPDX-License-Identifier: BSD-3-Clause
// How many ranks of a step each node of the job takes: what the job has there, less what its other
// steps have taken, in units of what a rank needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "needs.hpp"
#include "tofa/node_claims.hpp"

namespace tofa::spank {

struct NodeSlots {
  std::string name;
  unsigned slots = 0;
  bool operator==(const NodeSlots&) const = default;
};

// A step of the same job that runs already.
struct OtherStep {
  std::vector<std::string> nodes;
  unsigned cpus = 0;    // on all of them
  long srun = 0;        // the process that started it
  bool ending = false;  // which has ended, on this machine: the controller has still to hear of it
};

// What Slurm's controller says of the job: what it has on each node, and its steps.
struct JobState {
  std::vector<slurm::NodeResources> nodes;  // those that are not down; empty: not known
  std::vector<OtherStep> steps;
  bool counts_memory = false;  // steps wait for memory that others have
};

struct PlaceRequest {
  unsigned ranks = 0;
  StepNeeds needs = {};
  std::optional<unsigned> nodes = {};  // that get a rank (-N)
  bool overcommit = false;
  bool overlaps = false;  // with other steps
  bool exact = false;     // takes of a node what its ranks need, not all of it
};

// The nodes that take ranks, in the order given; their processors are what the job has. Throws
// Error (unmet) where there are too few places, and where it is not known what counts.
std::vector<NodeSlots> find_places(const std::vector<slurm::NodeResources>& nodes,
                                   const PlaceRequest& request, const JobState& state,
                                   const std::vector<NodeClaim>& claimed);

}  // namespace tofa::spank
