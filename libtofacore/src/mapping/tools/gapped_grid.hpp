// SPDX-License-Identifier: BSD-3-Clause
// Grids of ranks with places that nobody has: recursive doubling among ranks that are no power of
// two, the swaps of HPL in columns of any length, a domain without its corners. Nothing folds them,
// but their tiles fill nodes as those of full grids do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/guest_grid.hpp"

namespace tofa {

struct GappedGrid {
  // Two positions of which one is a step from the other, and what all ranks exchange that are in
  // the same dimension at the same coordinates as these.
  struct Step {
    std::uint32_t from;
    std::uint32_t to;
    double bytes;
  };

  GuestGrid grid;  // with up to eight times as many places as ranks
  std::vector<Step> steps;
};

// Recognises a grid of 2 to 16 dimensions of which places may be missing, labelled in any order, in
// which each pair is one step apart; light pairs beside the others do not matter. Ranks with one
// partner are a step beside it in a dimension of their own, as those are that recursive doubling
// leaves over. Takes time proportional to the pairs and to how many a rank has of them; where ranks
// form no grid, mostly next to none.
//
// A square tells that its opposite pairs are steps in the same direction, and the others are not:
// pairs fall into classes (the relation of Djokovic, Distance-preserving subgraphs of hypercubes,
// 1973, as far as squares show it). Classes that meet at ranks and never close a square follow each
// other in one dimension.
std::optional<GappedGrid> recognise_gapped_grid(const CommGraph& graph);

// Groups of `size` ranks, by rank, each of which takes a tile of the grid, or two or three that
// follow each other where none have that size; several such, by the shapes of tiles, the one that
// exchanges least first, `most` at most. The last has what is left over. None where tiles have so
// many gaps that groups exchange a tenth more than they would.
std::vector<std::vector<std::uint32_t>> groups_in_tiles(const CommGraph& graph,
                                                        const GappedGrid& gapped, unsigned size,
                                                        std::size_t most);

}  // namespace tofa
