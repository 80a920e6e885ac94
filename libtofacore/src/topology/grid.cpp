// SPDX-License-Identifier: BSD-3-Clause
// Grid routing, and equation 1's census by prefix sums: a dimension-order route is one straight
// segment per dimension, so the marked links on it are a difference of two prefix sums per
// dimension.
#include "topology/grid.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "tofa/error.hpp"

namespace tofa {

void complete_grid_spec(GridSpec& spec, bool wraps_by_default) {
  const std::size_t dims = spec.shape.size();
  if (dims < 1 || dims > kMaxDimensions) {
    throw Error(ErrorKind::bad_input, fmt::format("shape has {} dimensions; a {} has 1 to {}", dims,
                                                  spec.kind, kMaxDimensions));
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
      dimensions_(static_cast<unsigned>(spec.shape.size())),
      order_(std::move(spec.order)),
      tie_(spec.tie),
      position_of_(std::move(spec.positions)) {
  for (unsigned d = 0; d < dimensions_; ++d) {
    extent_[d] = spec.shape[d];
    stride_[d] = positions_;
    wrap_[d] = spec.wrap[d];
    positions_ *= extent_[d];
  }
  vertex_at_.assign(positions_, kNoNode);
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
    for (unsigned d = 0; d < dimensions_; ++d) {
      coordinates_[node][d] = static_cast<std::uint16_t>(coordinate(position, d));
    }
  }
  // A position without a node still forwards: it is a switch.
  std::uint32_t next_switch = nodes();
  for (std::uint32_t& vertex : vertex_at_) {
    if (vertex == kNoNode) vertex = next_switch++;
  }
}

std::string GridTopology::describe() const {
  std::string text = fmt::format("{} {}", kind_, fmt::join(shape(), "x"));
  if (nodes() != positions_) text += fmt::format(" with {} nodes", nodes());
  return text;
}

std::vector<unsigned> GridTopology::shape() const {
  return {extent_.begin(), extent_.begin() + dimensions_};
}

std::vector<bool> GridTopology::wraps() const {
  return std::vector<bool>(wrap_.begin(), wrap_.begin() + dimensions_);
}

std::vector<unsigned> GridTopology::coordinates(Node node) const {
  std::vector<unsigned> result(dimensions_);
  for (unsigned d = 0; d < dimensions_; ++d) result[d] = coordinate(position_of_[node], d);
  return result;
}

std::uint32_t GridTopology::link_target(Link link) const {
  const std::uint32_t position = link / (2 * dimensions_);
  const unsigned dim = link % (2 * dimensions_) / 2;
  const bool up = link % 2 == 0;
  const unsigned at = coordinate(position, dim);
  const unsigned next = up ? (at + 1) % extent_[dim] : (at + extent_[dim] - 1) % extent_[dim];
  return vertex_at_[position - at * stride_[dim] + next * stride_[dim]];
}

GridTopology::Step GridTopology::step(unsigned dim, unsigned a, unsigned b) const {
  if (!wrap_[dim]) return b >= a ? Step{true, b - a} : Step{false, a - b};
  const unsigned upward = b >= a ? b - a : b + extent_[dim] - a;
  const unsigned downward = upward == 0 ? 0 : extent_[dim] - upward;
  if (upward < downward) return {true, upward};
  if (downward < upward) return {false, downward};
  return {goes_up(tie_, b), upward};
}

unsigned GridTopology::hops(Node a, Node b) const {
  const auto& from = coordinates_[a];
  const auto& to = coordinates_[b];
  unsigned total = 0;
  for (unsigned d = 0; d < dimensions_; ++d) {
    const unsigned apart = from[d] > to[d] ? from[d] - to[d] : to[d] - from[d];
    total += wrap_[d] ? std::min(apart, extent_[d] - apart) : apart;
  }
  return total;
}

void GridTopology::route(Node from, Node to, std::vector<Link>& out) const {
  std::uint32_t position = position_of_[from];
  for (const unsigned dim : order_) {
    unsigned at = coordinates_[from][dim];
    const auto [up, length] = step(dim, at, coordinates_[to][dim]);
    const std::uint32_t base = position - at * stride_[dim];
    for (unsigned i = 0; i < length; ++i) {
      out.push_back(position * 2 * dimensions_ + 2 * dim + (up ? 0 : 1));
      at = up ? (at + 1 == extent_[dim] ? 0 : at + 1) : (at == 0 ? extent_[dim] - 1 : at - 1);
      position = base + at * stride_[dim];
    }
  }
}

// For each dimension and position: how many links between coordinate 0 and this one, along the line
// through the position, have a marked end; and how many the whole line has, the wrap-around link
// included.
class GridCensus final : public RouteCensus {
 public:
  GridCensus(const GridTopology& grid, const std::vector<bool>& marked) : grid_(grid) {
    std::vector<bool> at_position(grid.positions_);
    for (Node node = 0; node < grid.nodes(); ++node) {
      at_position[grid.position_of_[node]] = marked[node];
    }
    for (unsigned d = 0; d < grid.dimensions_; ++d) {
      before_[d].resize(grid.positions_);
      whole_[d].resize(grid.positions_);
      for (std::uint32_t start = 0; start < grid.positions_; ++start) {
        if (grid.coordinate(start, d) == 0) sum_line(d, start, at_position);
      }
    }
  }

  unsigned marked_links(Node from, Node to) const override {
    std::uint32_t position = grid_.position_of_[from];
    unsigned count = 0;
    for (const unsigned dim : grid_.order_) {
      const unsigned a = grid_.coordinates_[from][dim];
      const unsigned b = grid_.coordinates_[to][dim];
      if (a == b) continue;
      const std::uint32_t start = position - a * grid_.stride_[dim];
      const std::uint32_t target = start + b * grid_.stride_[dim];
      // Going down from a to b crosses the same links as going up from b to a.
      const bool up = grid_.step(dim, a, b).up;
      const unsigned low = before_[dim][up ? position : target];
      const unsigned high = before_[dim][up ? target : position];
      count += (up ? a <= b : b <= a) ? high - low : whole_[dim][start] - low + high;
      position = target;
    }
    return count;
  }

 private:
  void sum_line(unsigned dim, std::uint32_t start, const std::vector<bool>& marked) {
    const std::uint32_t stride = grid_.stride_[dim];
    const unsigned extent = grid_.extent_[dim];
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < extent; ++i) {
      const std::uint32_t position = start + i * stride;
      before_[dim][position] = sum;
      const std::uint32_t next = i + 1 < extent ? position + stride : start;
      sum += marked[position] || marked[next];
    }
    whole_[dim][start] = sum;
  }

  const GridTopology& grid_;
  std::array<std::vector<std::uint32_t>, kMaxDimensions> before_;
  std::array<std::vector<std::uint32_t>, kMaxDimensions> whole_;  // set where the line starts
};

std::unique_ptr<RouteCensus> GridTopology::census(std::vector<bool> marked) const {
  return std::make_unique<GridCensus>(*this, marked);
}

}  // namespace tofa
