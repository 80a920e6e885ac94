// SPDX-License-Identifier: BSD-3-Clause
// Trees: every vertex but the top has one link up and one down, numbered after the vertex.
#include "topology/tree.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace tofa {
namespace {

// Leaves of the padded regular tree at most.
constexpr std::uint64_t kMostLeaves = 1U << 20U;

class TreeTopology final : public Topology {
 public:
  TreeTopology(SwitchTree tree, double hop_cost)
      : Topology(std::move(tree.nodes), hop_cost),
        switches_(std::move(tree.switches)),
        parent_(std::move(tree.parent)),
        depth_(parent_.size()) {
    for (std::uint32_t vertex = 0; vertex < parent_.size(); ++vertex) {
      for (std::uint32_t at = vertex; at != top(); at = parent_[at]) ++depth_[vertex];
      if (vertex < nodes()) deepest_ = std::max(deepest_, depth_[vertex]);
    }
  }

  std::string kind() const override { return "tree"; }
  std::string describe() const override {
    return fmt::format("tree of {} switches on {} levels", switches_.size(), deepest_);
  }

  Link links() const override { return 2 * (vertices() - 1); }
  std::uint32_t vertices() const override { return static_cast<std::uint32_t>(parent_.size()); }
  std::uint32_t link_source(Link link) const override {
    return link % 2 == 0 ? link / 2 : parent_[link / 2];
  }
  std::uint32_t link_target(Link link) const override { return link_source(link ^ 1U); }
  std::string vertex_name(std::uint32_t vertex) const override {
    return vertex < nodes() ? name(vertex) : switches_[vertex - nodes()];
  }

  // A switch is above the highest one below it, whatever nodes are beside that.
  std::vector<std::uint8_t> link_classes() const override {
    std::vector<std::uint32_t> from_below(vertices());
    std::iota(from_below.begin(), from_below.end(), 0);
    std::sort(from_below.begin(), from_below.end(),
              [&](std::uint32_t a, std::uint32_t b) { return depth_[a] > depth_[b]; });
    std::vector<unsigned> level(vertices());
    for (const std::uint32_t vertex : from_below) {
      if (vertex != top())
        level[parent_[vertex]] = std::max(level[parent_[vertex]], level[vertex] + 1);
    }
    std::vector<std::uint8_t> classes(links());
    for (Link link = 0; link < links(); ++link)
      classes[link] = static_cast<std::uint8_t>(std::min(level[link / 2], 255U));
    return classes;
  }

  bool leads_up(Link link) const override { return link % 2 == 0; }
  unsigned hops(Node a, Node b) const override {
    const std::uint32_t meeting = meeting_point(a, b);
    return depth_[a] + depth_[b] - 2 * depth_[meeting];
  }

  void route(Node from, Node to, std::vector<Link>& out) const override {
    const std::uint32_t meeting = meeting_point(from, to);
    for (std::uint32_t at = from; at != meeting; at = parent_[at]) out.push_back(2 * at);
    // The way down is found going up.
    const std::size_t turn = out.size();
    for (std::uint32_t at = to; at != meeting; at = parent_[at]) out.push_back(2 * at + 1);
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(turn), out.end());
  }

  // The switches above the node, the top first.
  std::string location(Node node) const override {
    std::vector<std::string> path;
    for (std::uint32_t at = node; at != top(); at = parent_[at]) {
      path.push_back(vertex_name(parent_[at]));
    }
    return fmt::format("{}", fmt::join(path.rbegin(), path.rend(), "/"));
  }

  std::optional<Hierarchy> hierarchy() const override;

 private:
  std::uint32_t top() const { return static_cast<std::uint32_t>(parent_.size() - 1); }

  std::uint32_t meeting_point(std::uint32_t a, std::uint32_t b) const {
    while (depth_[a] > depth_[b]) a = parent_[a];
    while (depth_[b] > depth_[a]) b = parent_[b];
    while (a != b) {
      a = parent_[a];
      b = parent_[b];
    }
    return a;
  }

  std::vector<std::string> switches_;
  std::vector<std::uint32_t> parent_;  // by vertex; the top is the last one
  std::vector<unsigned> depth_;        // by vertex, 0 at the top
  unsigned deepest_ = 0;
};

// Every level gets as many children per vertex as the busiest vertex there has, and nodes that hang
// higher than others are only children further down.
std::optional<Hierarchy> TreeTopology::hierarchy() const {
  Hierarchy result;
  result.fan_out.assign(deepest_, 1);
  std::vector<unsigned> children(parent_.size());
  std::vector<unsigned> index(parent_.size());  // among the children of the parent
  for (std::uint32_t vertex = 0; vertex < top(); ++vertex) {
    const std::uint32_t above = parent_[vertex];
    index[vertex] = children[above]++;
    result.fan_out[depth_[above]] = std::max(result.fan_out[depth_[above]], children[above]);
  }
  std::uint64_t leaves = 1;
  for (unsigned level = 0; level < deepest_; ++level) {
    leaves *= result.fan_out[level];
    if (leaves > kMostLeaves) return std::nullopt;
    result.hops.push_back(2 * (deepest_ - level));
  }
  for (Node node = 0; node < nodes(); ++node) {
    std::uint64_t stride = 1;
    std::uint64_t leaf = 0;
    for (unsigned level = deepest_; level > depth_[node]; --level) {
      stride *= result.fan_out[level - 1];
    }
    for (std::uint32_t at = node; at != top(); at = parent_[at]) {
      leaf += stride * index[at];
      stride *= result.fan_out[depth_[at] - 1];
    }
    result.leaf.push_back(static_cast<std::uint32_t>(leaf));
  }
  return result;
}

}  // namespace

std::unique_ptr<Topology> make_tree_topology(const std::vector<SwitchEntry>& entries,
                                             const std::string& file, double hop_cost) {
  return std::make_unique<TreeTopology>(connect_switches(entries, file), hop_cost);
}

}  // namespace tofa
