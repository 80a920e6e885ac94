// SPDX-License-Identifier: BSD-3-Clause
// Torus and mesh of 1 to 6 dimensions with dimension-order routing. A mesh is a grid that wraps
// nowhere, a torus one that wraps everywhere, and each dimension may differ.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tofa/topology.hpp"

namespace tofa {

// Which way round a ring when both are equally long.
enum class TieRule {
  positive,            // always towards higher coordinates
  destination_parity,  // up when the destination's coordinate is even, down when it is odd (Cray
                       // Gemini)
  simgrid,             // up, except to coordinate 0 (SimGrid's torus)
};

struct GridSpec {
  std::string kind;             // what the topology calls itself: torus or mesh
  std::vector<unsigned> shape;  // 1 to 6 extents, each >= 1
  std::vector<bool> wrap;       // per dimension
  std::vector<unsigned> order;  // dimensions in the order they are routed
  TieRule tie = TieRule::positive;
  double hop_cost = 1;
  std::vector<std::string> names;  // of the nodes
  // Of the nodes: x + X*(y + Y*z), distinct, below the product of the shape.
  std::vector<std::uint32_t> positions;
};

// Parts that the topology file leaves out get their defaults here. Throws Error for a shape that
// makes no sense.
void complete_grid_spec(GridSpec& spec, bool wraps_by_default);

class GridTopology final : public Topology {
 public:
  explicit GridTopology(GridSpec spec);

  std::string kind() const override { return kind_; }
  std::string describe() const override;
  Link links() const override { return grid_.positions() * links_per_position(); }
  std::uint32_t vertices() const override { return grid_.positions(); }
  std::uint32_t link_source(Link link) const override {
    return vertex_at_[link / links_per_position()];
  }
  std::uint32_t link_target(Link link) const override;
  bool has_link(Link link) const override;
  std::vector<std::uint8_t> link_classes() const override;
  void fetch(Node node) const override {
    __builtin_prefetch(&coordinates_[node]);
    __builtin_prefetch(&position_of_[node]);
  }
  unsigned hops(Node a, Node b) const override;
  void route(Node from, Node to, std::vector<Link>& out) const override;
  std::unique_ptr<RouteCensus> census(std::vector<bool> marked) const override;
  std::unique_ptr<RouteCensus> census_of_weights(std::vector<std::uint8_t> weights) const override;
  std::unique_ptr<LinkLoads> link_loads() const override;
  const Grid* grid() const override { return &grid_; }
  std::vector<unsigned> coordinates(std::uint32_t vertex) const override;
  std::vector<unsigned> route_order() const override { return order_; }
  GridRun route_run(unsigned dim, unsigned a, unsigned b) const override;

 private:
  friend class GridCensus;
  friend class GridLoads;
  unsigned dimensions() const { return static_cast<unsigned>(grid_.dimensions()); }
  unsigned links_per_position() const { return 2 * dimensions(); }

  std::string kind_;
  Grid grid_;
  std::vector<unsigned> order_;
  TieRule tie_;
  std::vector<std::uint32_t> position_of_;  // vertex -> position, nodes first
  // Position -> node, or a switch number from nodes() up where there is none.
  std::vector<std::uint32_t> vertex_at_;
  std::vector<std::array<std::uint16_t, Grid::kMostDimensions>> coordinates_;  // by node
};

}  // namespace tofa
