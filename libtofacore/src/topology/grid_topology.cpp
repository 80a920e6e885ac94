// SPDX-License-Identifier: BSD-3-Clause
// Grid routing, and censuses by prefix sums: a dimension-order route is one straight
// segment per dimension, so the marked links on it are a difference of two prefix sums per
// dimension.
#include "topology/grid_topology.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/large_pages.hpp"
#include "tofa/error.hpp"

namespace tofa {

void complete_grid_spec(GridSpec& spec, bool wraps_by_default) {
  const std::size_t dims = spec.shape.size();
  if (dims < 1 || dims > Grid::kMostDimensions) {
    throw Error(ErrorKind::bad_input, fmt::format("shape has {} dimensions; a {} has 1 to {}", dims,
                                                  spec.kind, Grid::kMostDimensions));
  }
  std::uint64_t positions = 1;
  for (const unsigned extent : spec.shape) {
    if (extent < 1 || extent > std::numeric_limits<std::uint16_t>::max()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("shape [{}] has an extent of {}; each must be 1 to 65535",
                              fmt::join(spec.shape, ","), extent));
    }
    positions *= extent;
    // 2 * dims links per position must fit a Link.
    if (positions > 100'000'000) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("shape [{}] has more than 100 million positions",
                              fmt::join(spec.shape, ",")));
    }
  }
  if (spec.wrap.empty()) spec.wrap.assign(dims, wraps_by_default);
  if (spec.order.empty()) {
    spec.order.resize(dims);
    std::iota(spec.order.begin(), spec.order.end(), 0U);
  }
}

namespace {

// To coordinate b from the one half a ring away.
bool goes_up(TieRule rule, unsigned b) {
  switch (rule) {
    case TieRule::positive:
      return true;
    case TieRule::destination_parity:
      return b % 2 == 0;
    case TieRule::simgrid:
      return b != 0;
  }
  return true;
}

}  // namespace

GridTopology::GridTopology(GridSpec spec)
    : Topology(std::move(spec.names), spec.hop_cost),
      kind_(std::move(spec.kind)),
      grid_(spec.shape, spec.wrap),
      order_(std::move(spec.order)),
      tie_(spec.tie),
      position_of_(std::move(spec.positions)) {
  vertex_at_.assign(grid_.positions(), kNoNode);
  reserve_large(coordinates_, nodes());
  coordinates_.resize(nodes());
  for (Node node = 0; node < nodes(); ++node) {
    const std::uint32_t position = position_of_[node];
    if (vertex_at_[position] != kNoNode) {
      throw Error(
          ErrorKind::bad_input,
          fmt::format("nodes \"{}\" and \"{}\" have the same coordinates [{}]",
                      name(vertex_at_[position]), name(node), fmt::join(coordinates(node), ",")));
    }
    vertex_at_[position] = node;
    for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
      coordinates_[node][d] = static_cast<std::uint16_t>(grid_.coordinate(position, d));
    }
  }
  // A position without a node still forwards: it is a switch.
  std::uint32_t next_switch = nodes();
  for (std::uint32_t position = 0; position < grid_.positions(); ++position) {
    if (vertex_at_[position] != kNoNode) continue;
    vertex_at_[position] = next_switch++;
    position_of_.push_back(position);
  }
}

std::string GridTopology::describe() const {
  std::string text = fmt::format("{} {}", kind_, fmt::join(grid_.shape(), "x"));
  if (nodes() != grid_.positions()) text += fmt::format(" with {} nodes", nodes());
  return text;
}

std::vector<unsigned> GridTopology::coordinates(std::uint32_t vertex) const {
  std::vector<unsigned> result(grid_.dimensions());
  for (std::size_t d = 0; d < result.size(); ++d) {
    result[d] = grid_.coordinate(position_of_[vertex], d);
  }
  return result;
}

std::uint32_t GridTopology::link_target(Link link) const {
  const std::uint32_t position = link / links_per_position();
  const unsigned dim = link % links_per_position() / 2;
  const unsigned extent = grid_.extent(dim);
  const bool up = link % 2 == 0;
  const unsigned at = grid_.coordinate(position, dim);
  const unsigned next = up ? (at + 1) % extent : (at + extent - 1) % extent;
  return vertex_at_[position - at * grid_.stride(dim) + next * grid_.stride(dim)];
}

bool GridTopology::has_link(Link link) const {
  const unsigned dim = link % links_per_position() / 2;
  const unsigned at = grid_.coordinate(link / links_per_position(), dim);
  const auto next = grid_.moved(dim, at, link % 2 == 0 ? 1 : -1);
  return next && *next != at;
}

std::vector<std::uint8_t> GridTopology::link_classes() const {
  std::vector<std::uint8_t> dimension(links());
  for (Link link = 0; link < links(); ++link)
    dimension[link] = static_cast<std::uint8_t>(link % links_per_position() / 2);
  return dimension;
}

GridRun GridTopology::route_run(unsigned dim, unsigned a, unsigned b) const {
  if (!grid_.wraps(dim)) return b >= a ? GridRun{true, b - a} : GridRun{false, a - b};
  const unsigned extent = grid_.extent(dim);
  const unsigned upward = b >= a ? b - a : b + extent - a;
  const unsigned downward = upward == 0 ? 0 : extent - upward;
  if (upward < downward) return {true, upward};
  if (downward < upward) return {false, downward};
  return {goes_up(tie_, b), upward};
}

unsigned GridTopology::hops(Node a, Node b) const {
  return grid_.hops(coordinates_[a], coordinates_[b]);
}

void GridTopology::route(Node from, Node to, std::vector<Link>& out) const {
  std::uint32_t position = position_of_[from];
  for (const unsigned dim : order_) {
    const unsigned extent = grid_.extent(dim);
    unsigned at = coordinates_[from][dim];
    const auto [up, length] = route_run(dim, at, coordinates_[to][dim]);
    const std::uint32_t base = position - at * grid_.stride(dim);
    for (unsigned i = 0; i < length; ++i) {
      out.push_back(position * links_per_position() + 2 * dim + (up ? 0 : 1));
      at = up ? (at + 1 == extent ? 0 : at + 1) : (at == 0 ? extent - 1 : at - 1);
      position = base + at * grid_.stride(dim);
    }
  }
}

// For each dimension and position: what the links between coordinate 0 and this one, along the line
// through the position, count together; and what the whole line does, the wrap-around link
// included.
class GridCensus final : public RouteCensus {
 public:
  // `of_link` says what a link counts whose ends have such entries in `ends`, by node.
  template <typename End, typename OfLink>
  GridCensus(const GridTopology& topology, const std::vector<End>& ends, const OfLink& of_link)
      : topology_(topology), grid_(topology.grid_) {
    std::vector<End> at_position(grid_.positions());
    for (Node node = 0; node < topology_.nodes(); ++node) {
      at_position[topology_.position_of_[node]] = ends[node];
    }
    for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
      before_[d].resize(grid_.positions());
      whole_[d].resize(grid_.positions());
      for (std::uint32_t start = 0; start < grid_.positions(); ++start) {
        if (grid_.coordinate(start, d) == 0) sum_line(d, start, at_position, of_link);
      }
    }
  }

  unsigned count(Node from, Node to) const override {
    std::uint32_t position = topology_.position_of_[from];
    unsigned count = 0;
    for (const unsigned dim : topology_.order_) {
      const unsigned a = topology_.coordinates_[from][dim];
      const unsigned b = topology_.coordinates_[to][dim];
      if (a == b) continue;
      const std::uint32_t start = position - a * grid_.stride(dim);
      const std::uint32_t target = start + b * grid_.stride(dim);
      // Going down from a to b crosses the same links as going up from b to a.
      const bool up = topology_.route_run(dim, a, b).up;
      const unsigned low = before_[dim][up ? position : target];
      const unsigned high = before_[dim][up ? target : position];
      count += (up ? a <= b : b <= a) ? high - low : whole_[dim][start] - low + high;
      position = target;
    }
    return count;
  }

 private:
  template <typename End, typename OfLink>
  void sum_line(std::size_t dim, std::uint32_t start, const std::vector<End>& ends,
                const OfLink& of_link) {
    const std::uint32_t stride = grid_.stride(dim);
    const unsigned extent = grid_.extent(dim);
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < extent; ++i) {
      const std::uint32_t position = start + i * stride;
      before_[dim][position] = sum;
      const std::uint32_t next = i + 1 < extent ? position + stride : start;
      sum += of_link(ends[position], ends[next]);
    }
    whole_[dim][start] = sum;
  }

  const GridTopology& topology_;
  const Grid grid_;  // a copy, since every message asks it
  std::array<std::vector<std::uint32_t>, Grid::kMostDimensions> before_;
  std::array<std::vector<std::uint32_t>, Grid::kMostDimensions>
      whole_;  // set where the line starts
};

std::unique_ptr<RouteCensus> GridTopology::census(std::vector<bool> marked) const {
  return std::make_unique<GridCensus>(*this, marked,
                                      [](bool a, bool b) { return unsigned{a || b}; });
}

std::unique_ptr<RouteCensus> GridTopology::census_of_weights(
    std::vector<std::uint8_t> weights) const {
  return std::make_unique<GridCensus>(*this, weights, [](unsigned a, unsigned b) { return a + b; });
}

}  // namespace tofa
