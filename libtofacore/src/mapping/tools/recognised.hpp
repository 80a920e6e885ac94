// SPDX-License-Identifier: BSD-3-Clause
// What is recognised in the traffic of a job. Several mappers ask for it, from two lanes, and each
// look goes through all pairs, some of them many times: it is taken when somebody asks first, and
// kept.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "mapping/tools/backbone.hpp"
#include "mapping/tools/gapped_grid.hpp"
#include "tofa/comm_graph.hpp"
#include "tofa/guest_grid.hpp"

namespace tofa {

class Recognised {
 public:
  // The graph has to live as long.
  explicit Recognised(const CommGraph& graph) : graph_(graph) {}

  // Of many pairs, looks for what nearly every mapper on a grid of nodes asks for, in two lanes.
  void look_ahead() const;

  // The grid that ranks form; null where they form none.
  const GuestGrid* exact_grid() const;
  // The same, or what is nearest to one, a line in the end (guest_grid).
  const GuestGrid& grid() const;
  // The grid with gaps that ranks form where they form none without (tools/gapped_grid.hpp); null
  // where they do not, or where there are very many.
  const GappedGrid* gapped_grid() const;
  // By rank, the tile of so many ranks it is in (tools/tiling.hpp), with or without gaps: the best
  // tiles there are. Null where there is no such grid, or no such tile of it, or where tiles tear
  // ranks from their strongest partners: an extent along which much is sent may not divide by
  // anything.
  const std::vector<std::uint32_t>* tiles(unsigned size) const;
  // Of the bytes, those that go from tile to tile; more than all of them where there are none.
  double share_between_tiles(unsigned size) const;
  // The same tiles and others of several shapes, the best first, `most` at most, torn or not.
  std::vector<std::vector<std::uint32_t>> tilings(unsigned size, std::size_t most) const;
  // Null where that is all, or little of the bytes.
  const CommGraph* backbone() const;
  // What the traffic falls apart into (tools/loose_parts.hpp); empty where it hangs together.
  const std::vector<std::vector<Rank>>& loose_parts() const;
  // Of what ranks exchange, what each does with its strongest partner.
  double share_of_strongest() const;
  // share_between_clusters of so many ranks (tools/clusters.hpp).
  double share_between_clusters(unsigned size) const;
  // How many partners a draw of a strong pair moves (strong_pairs.hpp).
  double partners_of_a_draw() const;

 private:
  const CommGraph& graph_;
  mutable std::once_flag looked_for_exact_;
  mutable std::once_flag looked_for_any_;
  mutable std::once_flag looked_for_gaps_;
  mutable std::once_flag looked_for_backbone_;
  mutable std::once_flag looked_for_parts_;
  mutable std::once_flag looked_for_strongest_;
  mutable std::once_flag looked_for_draws_;
  mutable std::optional<GuestGrid> exact_;
  mutable std::optional<GuestGrid> near_;  // where there is no exact one
  mutable std::optional<GappedGrid> gapped_;
  mutable std::optional<CommGraph> backbone_;
  mutable std::vector<std::vector<Rank>> parts_;
  mutable std::mutex tiling_;
  struct Tiles {
    std::vector<std::vector<std::uint32_t>> shapes;  // one or none
    double share_between = 0;
  };
  mutable std::map<unsigned, Tiles> tiles_;  // by size
  mutable std::mutex joining_;
  mutable std::map<unsigned, double> between_clusters_;  // by size
  mutable double share_of_strongest_ = 0;
  mutable double partners_of_a_draw_ = 0;
};

}  // namespace tofa
