// SPDX-License-Identifier: BSD-3-Clause
// Link loads of a grid by differences: a dimension-order route is one straight run of links per
// dimension, and a run is two changes to the difference of neighbouring loads, however long it is.
// Prefix sums along every line then give the loads.
#include <array>

#include "base/large_pages.hpp"
#include "topology/grid_topology.hpp"

namespace tofa {

class GridLoads final : public LinkLoads {
 public:
  explicit GridLoads(const GridTopology& topology)
      : topology_(topology),
        grid_(topology.grid_),
        links_per_position_(topology.links_per_position()),
        far_(topology.links() > kNearLinks) {
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
    for (std::size_t i = 0; i < kAhead; ++i) change(0, 0);
    for (unsigned dim = 0; dim < topology_.dimensions(); ++dim) {
      for (std::uint32_t position = 0; position < grid_.positions(); ++position) {
        if (grid_.coordinate(position, dim) == 0) continue;
        for (const bool up : {true, false}) {
          load_[link(position, dim, up)] += load_[link(position - grid_.stride(dim), dim, up)];
        }
      }
    }
    return std::move(load_);
  }

 private:
  Link link(std::uint32_t position, unsigned dim, bool up) const {
    return position * links_per_position_ + 2 * dim + (up ? 0 : 1);
  }

  // The links that leave `length` coordinates from `first` upwards, which may lie one turn further
  // on, along the line that starts at `start`.
  void add_run(std::uint32_t start, unsigned dim, bool up, unsigned first, unsigned length,
               double bytes) {
    const unsigned extent = grid_.extent(dim);
    const std::uint32_t stride = grid_.stride(dim);
    if (first >= extent) first -= extent;
    change(link(start + first * stride, dim, up), bytes);
    unsigned end = first + length;
    if (end > extent) {
      change(link(start, dim, up), bytes);
      end -= extent;
    }
    if (end < extent) change(link(start + end * stride, dim, up), -bytes);
  }

  // What is far off is asked for now and changed when it has come, some messages later.
  void change(Link link, double by) {
    if (!far_) {
      load_[link] += by;
      return;
    }
    __builtin_prefetch(&load_[link], 1);
    Change& earliest = ahead_[next_];
    load_[earliest.link] += earliest.by;
    earliest = {link, by};
    next_ = (next_ + 1) % kAhead;
  }

  struct Change {
    Link link = 0;
    double by = 0;
  };
  static constexpr Link kNearLinks = 1U << 16U;  // whose loads a core's own cache holds
  static constexpr std::size_t kAhead = 32;

  const GridTopology& topology_;
  const Grid grid_;  // a copy, since every message asks it
  const unsigned links_per_position_;
  const bool far_;
  std::array<Change, kAhead> ahead_{};
  std::size_t next_ = 0;
  std::vector<double> load_;
};

std::unique_ptr<LinkLoads> GridTopology::link_loads() const {
  return std::make_unique<GridLoads>(*this);
}

}  // namespace tofa
