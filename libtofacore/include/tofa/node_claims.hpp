// SPDX-License-Identifier: BSD-3-Clause
// Launchers that run side by side in one job, such as two mpirun or several srun of a batch script,
// do not know of each other, and each would choose the nodes that are best for all. So each says in
// a file of the user's, on the machine where it runs, what it has taken, and later ones choose
// among what is left. What a launcher took is free again when its process ends, however it ends.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace tofa {

// How much of a node, in units that the launchers of a job agree on; or all of it.
using NodeCounts = std::map<std::string, unsigned>;
inline constexpr unsigned kWholeNode = std::numeric_limits<unsigned>::max();

struct NodeClaim {
  long process = 0;
  NodeCounts nodes;
  bool operator==(const NodeClaim&) const = default;
};

// What all of them have of each node.
NodeCounts sum_of(const std::vector<NodeClaim>& claims);

class NodeClaims {
 public:
  // Of the job with that name, which is not empty; its claims are read. Throws Error (unavailable)
  // where no folder is the user's alone, or the file stays locked.
  explicit NodeClaims(std::string job);

  // What other processes have taken that still run, as it was when last read.
  const std::vector<NodeClaim>& others() const { return others_; }

  // Takes `nodes` for this process, beside what it has. False when others have changed: they are
  // read anew, nothing is taken, and the caller chooses again. Where nothing can be written, such
  // as on a full disk, others do not learn of it, which is no reason not to start.
  bool take(const NodeCounts& nodes);

 private:
  bool take_or_throw(const NodeCounts& nodes);

  std::string job_;
  std::string path_;
  std::vector<NodeClaim> others_;
};

}  // namespace tofa
