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

// One position further, or not, in every dimension.
std::uint32_t near(const Grid& grid, std::uint32_t position, RandomSource& random) {
  std::uint32_t result = position;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    const unsigned from = grid.coordinate(position, d);
    const auto to = grid.moved(d, from, static_cast<int>(random.below(3)) - 1);
    if (to) result += (*to - from) * grid.stride(d);
  }
  return result;
}

// Some partners, by where they are. They will not stay exactly there, so that what is near counts,
// too.
std::vector<GuestPair> sample_nearby(const CommGraph& graph, const Grid& grid,
                                     const std::vector<std::uint32_t>& places) {
  constexpr std::uint32_t sample = 1024;
  RandomSource random(1);
  std::vector<GuestPair> pairs;
  for (std::uint32_t i = 0; i < sample; ++i) {
    const Rank rank = random.below(graph.ranks());
    const auto partners = graph.partners(rank);
    if (partners.empty()) continue;
    const auto& [partner, bytes, sent] =
        partners[random.below(static_cast<std::uint32_t>(partners.size()))];
    const double weight = static_cast<double>(bytes) * static_cast<double>(partners.size());
    const std::uint32_t here = near(grid, places[rank], random);
    const std::uint32_t there = near(grid, places[partner], random);
    if (here != there) pairs.push_back({here, there, weight});
  }
  return pairs;
}

// How far the proportions of a shape are from those of the drawing.
double distortion(const std::vector<unsigned>& shape, const Drawing& drawing) {
  double sum = 0;
  double squares = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const double stretch = std::log(shape[d] / std::max(drawing.dimensions[d].length, 1e-9));
    sum += stretch;
    squares += stretch * stretch;
  }
  const auto dimensions = static_cast<double>(shape.size());
  return squares / dimensions - std::pow(sum / dimensions, 2);
}

}  // namespace

std::vector<std::vector<unsigned>> shapes_of(unsigned positions, std::size_t dimensions) {
  std::vector<std::vector<unsigned>> shapes;
  std::vector<unsigned> sides;
  add_shapes(positions, dimensions, sides, shapes);
  return shapes;
}

std::vector<std::vector<unsigned>> likely_shapes(const Drawing& drawing, unsigned positions,
                                                 std::size_t dimensions) {
  constexpr double too_wide = 0.3;  // of the length, for a line
  const auto& all = drawing.dimensions;
  if (dimensions == 1 && all.size() > 1 && all[1].length > too_wide * all[0].length) return {};
  std::vector<std::vector<unsigned>> shapes = shapes_of(positions, dimensions);
  std::stable_sort(shapes.begin(), shapes.end(), [&drawing](const auto& a, const auto& b) {
    return distortion(a, drawing) < distortion(b, drawing);
  });
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
  Folder folder(box_, guest, 1, sample_neighbours(guest), seconds);
  if (!std::isfinite(folder.search())) return std::nullopt;
  Unfolded result{Grid(shape, {wraps.begin(), wraps.end()}), {}, {}};
  lay(folder.first_cells(), result);
  // Virtual hosts share the position of their node, which has room for one of them.
  if (result.seats_before.back() != plan_.seats()) return std::nullopt;
  return result;
}

bool Unfolding::pleat(const MappingTask& task, const std::vector<std::uint32_t>& places,
                      Unfolded& unfolded) const {
  const Grid& grid = unfolded.grid;
  if (grid.dimensions() >= dimensions()) return false;
  GuestGrid guest{grid.shape(), {}, std::vector<std::uint32_t>(positions())};
  for (std::size_t d = 0; d < grid.dimensions(); ++d) guest.wraps.push_back(grid.wraps(d) ? 1 : 0);
  std::iota(guest.positions.begin(), guest.positions.end(), 0U);
  const std::vector<GuestPair> pairs = sample_nearby(task.graph, grid, places);
  Folder folder(box_, guest, 1, pairs, task.seconds, Folder::Pleats::yes);
  if (!std::isfinite(folder.search())) return false;
  Unfolded other{grid, {}, {}};
  lay(folder.first_cells(), other);
  // Not all plans were tried, perhaps.
  if (mean_hops(task.topology, pairs, other) >= mean_hops(task.topology, pairs, unfolded)) {
    return false;
  }
  unfolded = std::move(other);
  return true;
}

// Of pairs that are no gaps, per byte.
double Unfolding::mean_hops(const Topology& topology, const std::vector<GuestPair>& pairs,
                            const Unfolded& unfolded) const {
  double cost = 0;
  double all = 0;
  for (const auto& [a, b, bytes] : pairs) {
    const std::uint32_t here = unfolded.entry[a];
    const std::uint32_t there = unfolded.entry[b];
    if (here == Unfolded::kNone || there == Unfolded::kNone) continue;
    cost += bytes * topology.hops(plan_.node(here), plan_.node(there));
    all += bytes;
  }
  return all > 0 ? cost / all : HUGE_VAL;
}

bool Unfolding::is_even() const {
  for (std::uint32_t entry = 1; entry < plan_.entries(); ++entry) {
    if (plan_.seats_of(entry) != plan_.seats_of(0)) return false;
  }
  return box_.full();
}

std::size_t Unfolding::dimensions() const {
  std::size_t count = 0;
  for (std::size_t d = 0; d + 1 < box_.dimensions(); ++d) count += box_.extent(d) > 1 ? 1 : 0;
  return count;
}

void Unfolding::lay(const std::vector<Cell>& cells, Unfolded& unfolded) const {
  unfolded.entry.clear();
  unfolded.seats_before = {0};
  for (const Cell& cell : cells) {
    const Node node = box_.node_at(cell);
    unfolded.entry.push_back(node == kNoNode ? Unfolded::kNone : entry_of_[node]);
    const unsigned seats = node == kNoNode ? 0 : plan_.seats_of(unfolded.entry.back());
    unfolded.seats_before.push_back(unfolded.seats_before.back() + seats);
  }
}

}  // namespace tofa
