// SPDX-License-Identifier: BSD-3-Clause
// bit-linear: the bits of a rank's position, multiplied by a matrix over GF(2), are the bits of its
// node, Gray-coded along each dimension. Butterflies, transposes, hypercubes and folded grids are
// all of this kind, and so are their best mappings. The matrix is searched for.
#include <bit>
#include <limits>

#include "mapping/mappers/host_box.hpp"
#include "mapping/mappers/matrix_search.hpp"
#include "mapping/objective.hpp"
#include "tofa/guest_grid.hpp"

namespace tofa {
namespace {

constexpr unsigned kMaxBits = 20;

unsigned needed_bits(unsigned extent) {
  return static_cast<unsigned>(std::bit_width(extent - 1));
}

// Positions as bits: the coordinates of the guest side by side. Empty if they are too many.
std::vector<std::uint32_t> position_codes(const GuestGrid& guest, unsigned host_bits) {
  unsigned total = 0;
  for (const unsigned extent : guest.shape) total += needed_bits(extent);
  if (total > host_bits) return {};
  std::vector<std::uint32_t> codes;
  codes.reserve(guest.positions.size());
  for (std::uint32_t position : guest.positions) {
    std::uint32_t code = 0;
    unsigned at = 0;
    for (const unsigned extent : guest.shape) {
      code |= (position % extent) << at;
      at += needed_bits(extent);
      position /= extent;
    }
    codes.push_back(code);
  }
  return codes;
}

Mapping map_bit_linear(const MappingTask& task) {
  const auto box = HostBox::of(task);
  if (!box || !box->holds_together()) return linear_mapping(task.allocation, task.graph.ranks());
  const HostBits bits(*box);
  if (bits.total < 2 || bits.total > kMaxBits) {
    return linear_mapping(task.allocation, task.graph.ranks());
  }
  const std::vector<std::uint32_t> codes = position_codes(task.recognised->grid(), bits.total);
  if (codes.empty()) return linear_mapping(task.allocation, task.graph.ranks());
  // Many matrices lead to the same hop-bytes, and the links tell them apart.
  Mapping best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (const Matrix& matrix : find_matrices(task, *box, bits, codes)) {
    std::vector<Cell> cells;
    cells.reserve(task.graph.ranks());
    for (const std::uint32_t code : codes) cells.push_back(bits.cell(image(matrix, code)));
    Mapping mapping = box->settle(cells, task);
    const Metrics metrics = evaluate_for(task.objective, task.graph, task.topology, task.outages,
                                         mapping, task.abort_cost);
    const double cost = objective_value(task.objective, metrics, task.abort_cost);
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = std::move(mapping);
  }
  return best.empty() ? linear_mapping(task.allocation, task.graph.ranks()) : best;
}

// Larger tasks have too many bits for the little that a sample of the pairs tells about them.
bool bit_linear_is_candidate(const MappingTask& task) {
  return task.topology.grid() != nullptr && task.graph.ranks() <= (1U << 15U) &&
         !group_is_called_for(task);
}

}  // namespace

extern constexpr Mapper kBitLinearMapper{"bit-linear", map_bit_linear, bit_linear_is_candidate,
                                         Turn::any_lane};

}  // namespace tofa
