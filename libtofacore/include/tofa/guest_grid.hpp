// SPDX-License-Identifier: BSD-3-Clause
// Ranks as a grid: many programs cut their domain into a grid of blocks, and where the traffic
// shows one, whatever the order of the ranks, the structure is worth more than any search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

inline constexpr std::size_t kMaxGuestDimensions = 16;
inline constexpr std::size_t kMaxGuestPartners = 18;  // of a rank

struct GuestGrid {
  std::vector<unsigned> shape;
  std::vector<std::uint8_t> wraps;       // 1: the dimension closes into a ring
  std::vector<std::uint32_t> positions;  // by rank: x + X*(y + Y*z), all different
};

// Recognises a path, ring, grid or torus of 1 to 16 dimensions, labelled in any order, in the
// heavier pairs of the graph; light pairs beside them, such as small collectives, do not matter.
// Hypercubes, as recursive doubling makes them, are grids of two positions in each dimension. And
// grids in whose rows all exchange with all, as in transposes of Fourier transforms. Takes time
// proportional to the pairs.
std::optional<GuestGrid> recognise_grid(const CommGraph& graph);

// The same of grids of neighbours, by all pairs, where only the partners of each rank are at hand,
// ascending, one rank's behind the other's: `degrees` of them each.
std::optional<GuestGrid> recognise_grid(const std::vector<std::uint8_t>& degrees,
                                        const std::vector<Rank>& partners);

// The grid that the ranks form. Where none is recognised, one in which most of what carries much
// goes to neighbours, whatever else there is: up to two fifths of these pairs may not, and ranks
// that collect from all have places that nobody else has. When the traffic shows none, the line of
// the ranks' own order.
GuestGrid guest_grid(const CommGraph& graph);
// The same where none is recognised.
GuestGrid grid_or_line(const CommGraph& graph);

}  // namespace tofa
