// SPDX-License-Identifier: BSD-3-Clause
// Link loads of a grid by differences: a dimension-order route is one straight run of links per
// dimension, and a run is two changes to the difference of neighbouring loads, however long it is.
// Prefix sums along every line then give the loads.
#include "topology/grid.hpp"

namespace tofa {

class GridLoads final : public LinkLoads {
 public:
  explicit GridLoads(const GridTopology& grid) : grid_(grid), load_(grid.links()) {}

  void send(Node from, Node to, double bytes) override {
    std::uint32_t position = grid_.position_of_[from];
    for (const unsigned dim : grid_.order_) {
      const unsigned a = grid_.coordinates_[from][dim];
      const unsigned b = grid_.coordinates_[to][dim];
      const auto [up, length] = grid_.step(dim, a, b);
      const std::uint32_t start = position - a * grid_.stride_[dim];
      if (length > 0)
        add_run(start, dim, up, up ? a : a + 1 + grid_.extent_[dim] - length, length, bytes);
      position = start + b * grid_.stride_[dim];
    }
  }

  std::vector<double> take() override {
    for (unsigned dim = 0; dim < grid_.dimensions_; ++dim) {
      for (std::uint32_t position = 0; position < grid_.positions_; ++position) {
        if (grid_.coordinate(position, dim) == 0) continue;
        for (const bool up : {true, false}) {
          difference(position, dim, up) += difference(position - grid_.stride_[dim], dim, up);
        }
      }
    }
    return std::move(load_);
  }

 private:
  double& difference(std::uint32_t position, unsigned dim, bool up) {
    return load_[position * 2 * grid_.dimensions_ + 2 * dim + (up ? 0 : 1)];
  }

  // The links that leave `length` coordinates from `first` upwards, which may lie one turn further
  // on, along the line that starts at `start`.
  void add_run(std::uint32_t start, unsigned dim, bool up, unsigned first, unsigned length,
               double bytes) {
    const unsigned extent = grid_.extent_[dim];
    const std::uint32_t stride = grid_.stride_[dim];
    if (first >= extent) first -= extent;
    difference(start + first * stride, dim, up) += bytes;
    unsigned end = first + length;
    if (end > extent) {
      difference(start, dim, up) += bytes;
      end -= extent;
    }
    if (end < extent) difference(start + end * stride, dim, up) -= bytes;
  }

  const GridTopology& grid_;
  std::vector<double> load_;
};

std::unique_ptr<LinkLoads> GridTopology::link_loads() const {
  return std::make_unique<GridLoads>(*this);
}

}  // namespace tofa
