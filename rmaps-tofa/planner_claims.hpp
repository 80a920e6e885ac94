// SPDX-License-Identifier: BSD-3-Clause
// Several mpirun in one allocation, and srun beside them: each takes nodes that the others left.
#pragma once

#include <optional>
#include <vector>

#include "planner.h"
#include "tofa/node_claims.hpp"

namespace tofa::planner {

// A job on fewer nodes than it was given. Not to be copied: it points into itself.
class RemainingJob {
 public:
  // Without the nodes of which others have a part; where the ranks then have too few places, with
  // what is left of those; and as it was where that is too little, too, as without this.
  RemainingJob(const tofa_job& job, const std::vector<NodeClaim>& others);
  RemainingJob(const RemainingJob&) = delete;
  RemainingJob& operator=(const RemainingJob&) = delete;

  const tofa_job& job() const { return job_; }

 private:
  bool leave(const tofa_job& job, const NodeCounts& taken, bool whole_nodes);

  tofa_job job_;
  std::vector<tofa_node> nodes_;
  std::vector<tofa_app> apps_;
  std::vector<std::vector<unsigned>> nodes_of_apps_;
};

// The claims of the job that this process runs in; nothing outside of jobs, and where they cannot
// be known.
std::optional<NodeClaims> read_claims();

// What ranks on these nodes of the job take.
NodeCounts claim_of(const tofa_job& job, const std::vector<unsigned>& node_of_rank);

}  // namespace tofa::planner
