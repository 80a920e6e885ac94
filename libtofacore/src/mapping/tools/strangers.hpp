// SPDX-License-Identifier: BSD-3-Clause
// Neighbours and strangers. Ranks that are neighbours in some space, as parts of a mesh or
// particles are, have partners in common, or partners that talk. A pair of ranks that are far apart
// has neither, and where one rank in a hundred has such a partner, everybody is near to everybody,
// so that nothing has a shape any more. By how much they carry, strangers cannot be told.
#pragma once

#include <optional>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

class Strangers {
 public:
  // Nothing where there are none, as some pairs tell, or where many are: then these are no
  // exceptions. The graph has to live as long.
  static std::optional<Strangers> among(const CommGraph& graph);

  // Whose partners are asked for from now on.
  void choose(Rank rank);
  // Whether a partner of the chosen rank is a stranger to it.
  bool include(Rank partner) const;

 private:
  explicit Strangers(const CommGraph& graph)
      : graph_(&graph), partner_of_(graph.ranks(), kNoRank) {}
  bool close_triangle(Rank partner) const;
  bool close_square(Rank partner) const;
  bool is_shared(const CommEdge& edge, Rank partner) const {
    return partner_of_[edge.partner] == chosen_ && edge.partner != partner;
  }

  const CommGraph* graph_;
  std::vector<Rank> partner_of_;  // whose partner each rank was last, by rank
  Rank chosen_ = kNoRank;
};

}  // namespace tofa
