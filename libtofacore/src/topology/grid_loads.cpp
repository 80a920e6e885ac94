// SPDX-License-Identifier: BSD-3-Clause
// Link loads of a grid by differences: a dimension-order route is one straight run of links per
// dimension, and a run is two changes to the difference of neighbouring loads, however long it is.
// Prefix sums along every line then give the loads.
#include "base/large_pages.hpp"
#include "topology/grid_topology.hpp"

namespace tofa {

class GridLoads final : public LinkLoads {
 public:
  explicit GridLoads(const GridTopology& topology)
      : topology_(topology),
        grid_(topology.grid_),
        links_per_position_(topology.links_per_position()) {
    // Of a million nodes, each message goes to other pages than the one before.
    reserve_large(load_, topology.links());
    load_.resize(topology.links());
  }

  void send(Node from, Node to, double bytes) override {
    std::uint32_t position = topology_.position_of_[from];
    for (const unsigned dim : topology_.order_) {
      const unsigned a = topology_.coordinates_[from][dim];
      const unsigned b = topology_.coordinates_[to][dim];
      const auto [up, length] = topology_.route_run(dim, a, b);
      const std::uint32_t start = position - a * grid_.stride(dim);
      if (length > 0)
        add_run(start, dim, up, up ? a : a + 1 + grid_.extent(dim) - length, length, bytes);
      position = start + b * grid_.stride(dim);
    }
  }

  std::vector<double> take() override {
    for (unsigned dim = 0; dim < topology_.dimensions(); ++dim) {
      for (std::uint32_t position = 0; position < grid_.positions(); ++position) {
        if (grid_.coordinate(position, dim) == 0) continue;
        for (const bool up : {true, false}) {
          difference(position, dim, up) += difference(position - grid_.stride(dim), dim, up);
        }
      }
    }
    return std::move(load_);
  }

 private:
  double& difference(std::uint32_t position, unsigned dim, bool up) {
    return load_[position * links_per_position_ + 2 * dim + (up ? 0 : 1)];
  }

  // The links that leave `length` coordinates from `first` upwards, which may lie one turn further
  // on, along the line that starts at `start`.
  void add_run(std::uint32_t start, unsigned dim, bool up, unsigned first, unsigned length,
               double bytes) {
    const unsigned extent = grid_.extent(dim);
    const std::uint32_t stride = grid_.stride(dim);
    if (first >= extent) first -= extent;
    difference(start + first * stride, dim, up) += bytes;
    unsigned end = first + length;
    if (end > extent) {
      difference(start, dim, up) += bytes;
      end -= extent;
    }
    if (end < extent) difference(start + end * stride, dim, up) -= bytes;
  }

  const GridTopology& topology_;
  const Grid grid_;  // a copy, since every message asks it
  const unsigned links_per_position_;
  std::vector<double> load_;
};

std::unique_ptr<LinkLoads> GridTopology::link_loads() const {
  return std::make_unique<GridLoads>(*this);
}

}  // namespace tofa
