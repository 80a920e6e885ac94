// SPDX-License-Identifier: BSD-3-Clause
// Shapes, and folds that lead from them to the grid: see unfolding.hpp.
#include "mapping/mappers/unfolding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mapping/mappers/folding.hpp"
#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

void add_shapes(unsigned positions, std::size_t dimensions, std::vector<unsigned>& sides,
                std::vector<std::vector<unsigned>>& shapes) {
  const unsigned longest = sides.empty() ? positions : sides.back();
  if (dimensions == 1) {
    if (positions > longest) return;
    shapes.push_back(sides);
    shapes.back().push_back(positions);
    return;
  }
  for (unsigned side = 2; side <= std::min(longest, positions / 2); ++side) {
    if (positions % side != 0) continue;
    sides.push_back(side);
    add_shapes(positions / side, dimensions - 1, sides, shapes);
    sides.pop_back();
  }
}

// Some positions and their neighbours, one way.
std::vector<GuestPair> neighbours(const GuestGrid& guest) {
  constexpr std::size_t sample = 128;
  const auto count = static_cast<std::uint32_t>(guest.positions.size());
  RandomSource random(1);
  std::vector<GuestPair> pairs;
  for (std::size_t i = 0; i < std::min<std::size_t>(sample, count); ++i) {
    const std::uint32_t at = count <= sample ? static_cast<std::uint32_t>(i) : random.below(count);
    std::uint32_t step = 1;
    for (std::size_t d = 0; d < guest.shape.size(); ++d) {
      const unsigned last = guest.shape[d] - 1;
      const unsigned x = at / step % guest.shape[d];
      if (x < last) pairs.push_back({at, at + step, 1});
      if (x == last && last > 1 && guest.wraps[d] != 0) pairs.push_back({at, at - last * step, 1});
      step *= guest.shape[d];
    }
  }
  return pairs;
}

}  // namespace

std::vector<std::vector<unsigned>> shapes_of(unsigned positions, std::size_t dimensions) {
  std::vector<std::vector<unsigned>> shapes;
  std::vector<unsigned> sides;
  add_shapes(positions, dimensions, sides, shapes);
  return shapes;
}

Unfolding::Unfolding(const HostBox& box, const SeatPlan& plan, Node nodes)
    : box_(box), plan_(plan), entry_of_(nodes, Unfolded::kNone) {
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
    entry_of_[plan.node(entry)] = entry;
  }
}

unsigned Unfolding::positions() const {
  unsigned count = 1;
  for (std::size_t d = 0; d + 1 < box_.dimensions(); ++d) count *= box_.extent(d);
  return count;
}

std::optional<Unfolded> Unfolding::unfold(const std::vector<unsigned>& shape,
                                          const std::vector<std::uint8_t>& wraps,
                                          double seconds) const {
  GuestGrid guest{shape, wraps, std::vector<std::uint32_t>(positions())};
  std::iota(guest.positions.begin(), guest.positions.end(), 0U);
  Folder folder(box_, guest, 1, neighbours(guest), seconds);
  if (!std::isfinite(folder.search())) return std::nullopt;
  Unfolded result{Grid(shape, {wraps.begin(), wraps.end()}), {}, {0}};
  for (const Cell& cell : folder.cells()) {
    const Node node = box_.node_at(cell);
    result.entry.push_back(node == kNoNode ? Unfolded::kNone : entry_of_[node]);
    const unsigned seats = node == kNoNode ? 0 : plan_.seats_of(result.entry.back());
    result.seats_before.push_back(result.seats_before.back() + seats);
  }
  // Virtual hosts share the position of their node, which has room for one of them.
  if (result.seats_before.back() != plan_.seats()) return std::nullopt;
  return result;
}

}  // namespace tofa
