// SPDX-License-Identifier: BSD-3-Clause
// Any network at all: vertices, cables of whole-number lengths, shortest routes, and routes that
// the file prescribes. A cable of length 3 is three links in a row, with points between them that
// no traffic starts or ends at, so that a hop is a link here too.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tofa/topology.hpp"
#include "topology/cable_tree.hpp"

namespace tofa {

struct Cable {
  std::uint32_t a;  // vertices
  std::uint32_t b;
  unsigned length;       // hops
  double bandwidth = 0;  // bytes per second, 0: not said
};

// A cable as a route passes it.
struct Passage {
  std::uint32_t cable;
  bool forward;  // from a to b
};

struct PrescribedRoute {
  Node from;
  Node to;
  std::vector<Passage> way;
};

struct GraphSpec {
  std::vector<std::string> nodes;
  std::vector<std::string> switches;  // vertices after the nodes
  std::vector<Cable> cables;
  std::vector<PrescribedRoute> routes;  // both directions, equally long, of any pair at most once
  bool nodes_forward = false;           // whether routes may pass nodes on their way
  double hop_cost = 1;
};

// The core is what does not merely hang on a single cable. Distances within it are tabled, so its
// size is limited.
inline constexpr std::size_t kLargestCore = 4096;

class GraphTopology final : public Topology {
 public:
  // Throws Error when nodes are not connected or the network is too large for its tables.
  explicit GraphTopology(GraphSpec spec);

  std::string kind() const override { return "graph"; }
  std::string describe() const override;
  Link links() const override { return static_cast<Link>(2 * cable_of_hop_.size()); }
  std::uint32_t vertices() const override;
  std::uint32_t link_source(Link link) const override;
  std::uint32_t link_target(Link link) const override { return link_source(link ^ 1U); }
  std::pair<std::uint32_t, std::uint32_t> link_ends(Link link) const override {
    const Cable& cable = cables_[cable_of_hop_[link / 2]];
    return link % 2 == 0 ? std::pair{cable.a, cable.b} : std::pair{cable.b, cable.a};
  }
  std::string vertex_name(std::uint32_t vertex) const override;
  unsigned hops(Node a, Node b) const override;
  void route(Node from, Node to, std::vector<Link>& out) const override;
  std::string location(Node node) const override;
  std::unique_ptr<LinkLoads> link_loads() const override;

 private:
  friend class CableLoads;
  static constexpr std::uint32_t kNone = 0xffffffffU;

  // Distances to one vertex of the core from all others, and the cable each takes towards it.
  struct Destination {
    std::once_flag computed;
    std::vector<unsigned> hops;
    std::vector<Passage> next;
  };

  // Where a node enters the core: at itself, or, when it hangs on a single cable, at the other end
  // of that.
  struct Entry {
    std::uint32_t core;
    std::uint32_t cable;  // kNone for a node that is in the core itself
    unsigned hops;
  };

  std::uint32_t named() const { return nodes() + static_cast<std::uint32_t>(switches_.size()); }
  std::uint32_t other_end(std::uint32_t vertex, std::uint32_t cable) const {
    return cables_[cable].a == vertex ? cables_[cable].b : cables_[cable].a;
  }
  // Whether routes may pass a vertex on their way.
  bool forwards(std::uint32_t vertex) const { return vertex >= nodes() || nodes_forward_; }
  std::span<const std::uint32_t> cables_of(std::uint32_t vertex) const {
    return {cables_at_.data() + cables_start_[vertex],
            cables_at_.data() + cables_start_[vertex + 1]};
  }
  void index_cables();
  void take_bandwidths();
  void check_connected() const;
  std::vector<std::uint32_t> find_regions(std::uint32_t& count) const;
  void find_core();
  void find_tree();
  const Destination& destination(std::uint32_t core) const;
  void compute(std::uint32_t core, Destination& result) const;
  void choose_next(std::uint32_t core, Destination& result) const;
  // Calls `pass` with each passage of the way between two nodes, in order.
  template <typename Pass>
  void follow(Node from, Node to, const Pass& pass) const;
  // The same within the core.
  template <typename Pass>
  void follow_tree(std::uint32_t first, std::uint32_t last, const Pass& pass) const;
  template <typename Pass>
  void follow_table(std::uint32_t first, std::uint32_t last, const Pass& pass) const;
  void append(Passage passage, std::vector<Link>& out) const;
  unsigned length(const std::vector<Passage>& way) const;
  static std::uint64_t pair_key(Node from, Node to) { return (std::uint64_t{from} << 32U) | to; }

  bool nodes_forward_;
  std::vector<std::string> switches_;
  std::vector<Cable> cables_;
  std::vector<std::uint32_t> first_hop_;     // by cable
  std::vector<std::uint32_t> cable_of_hop_;  // link / 2 -> cable
  std::vector<std::uint32_t> cables_start_;  // by vertex: where its cables begin in the next
  std::vector<std::uint32_t> cables_at_;     // in the order of the file
  std::vector<std::uint32_t> core_;          // its vertices, in order
  std::vector<std::uint32_t> core_of_;       // by vertex, kNone where it is not in the core
  std::vector<Entry> entries_;               // by node
  std::optional<CableTree> tree_;            // the core, if that is what it is
  std::vector<std::uint32_t> tree_cable_;    // by cable of that: which one it is
  std::unordered_map<std::uint64_t, std::vector<Passage>> prescribed_;
  mutable std::vector<Destination> destinations_;  // by core, computed when first asked for
};

template <typename Pass>
void GraphTopology::follow(Node from, Node to, const Pass& pass) const {
  if (from == to) return;
  if (!prescribed_.empty()) {
    const auto found = prescribed_.find(pair_key(from, to));
    if (found != prescribed_.end()) {
      for (const Passage& passage : found->second) pass(passage);
      return;
    }
  }
  const auto [first, cable_up, hops_up] = entries_[from];
  const auto [last, cable_down, hops_down] = entries_[to];
  if (cable_up != kNone) pass(Passage{cable_up, cables_[cable_up].a == from});
  tree_ ? follow_tree(first, last, pass) : follow_table(first, last, pass);
  if (cable_down != kNone) pass(Passage{cable_down, cables_[cable_down].b == to});
}

template <typename Pass>
void GraphTopology::follow_tree(std::uint32_t first, std::uint32_t last, const Pass& pass) const {
  const std::uint32_t top = tree_->meeting_point(first, last);
  for (std::uint32_t at = first; at != top; at = tree_->parent(at)) {
    const std::uint32_t cable = tree_cable_[tree_->cable_up(at)];
    pass(Passage{cable, cables_[cable].a == core_[at]});
  }
  std::array<std::uint32_t, CableTree::kMostSteps> down{};
  std::size_t steps = 0;
  for (std::uint32_t at = last; at != top; at = tree_->parent(at)) down[steps++] = at;
  while (steps > 0) {
    const std::uint32_t at = down[--steps];
    const std::uint32_t cable = tree_cable_[tree_->cable_up(at)];
    pass(Passage{cable, cables_[cable].b == core_[at]});
  }
}

template <typename Pass>
void GraphTopology::follow_table(std::uint32_t first, std::uint32_t last, const Pass& pass) const {
  const Destination& table = destination(last);
  for (std::uint32_t at = first; at != last;) {
    const Passage passage = table.next[at];
    pass(passage);
    at = core_of_[other_end(core_[at], passage.cable)];
  }
}

}  // namespace tofa
