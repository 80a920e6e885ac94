// SPDX-License-Identifier: BSD-3-Clause
// Which switches are above the same nodes: see grouped_tree.hpp.
#include "picture/grouped_tree.hpp"

#include <algorithm>
#include <map>

namespace tofa::cli {
namespace {

class GroupedTree {
 public:
  explicit GroupedTree(const Topology& topology)
      : topology_(topology),
        parents_(topology.vertices()),
        height_(topology.vertices()),
        first_node_(topology.vertices(), kNoNode) {
    for (Link link = 0; link < topology.links(); ++link) {
      if (topology.leads_up(link)) parents_[topology.link_source(link)].push_back(link);
    }
    for (Node node = 0; node < topology.nodes(); ++node) climb(node, node, 0);
    make_groups();
    join_groups();
  }

  std::vector<TreeGroup> take() { return std::move(groups_); }

 private:
  // Every vertex above a node learns the first node below it and how high it is.
  void climb(std::uint32_t vertex, Node node, unsigned height) {
    const bool known = first_node_[vertex] != kNoNode && height_[vertex] >= height;
    if (known) return;
    first_node_[vertex] = std::min(first_node_[vertex], node);
    height_[vertex] = std::max(height_[vertex], height);
    for (const Link link : parents_[vertex]) climb(topology_.link_target(link), node, height + 1);
  }

  // Two switches on one level are above the same nodes or above different ones.
  void make_groups() {
    std::map<std::pair<unsigned, Node>, std::vector<std::uint32_t>> alike;
    for (std::uint32_t vertex = 0; vertex < topology_.vertices(); ++vertex) {
      const Node first = first_node_[vertex];
      if (first == kNoNode || (vertex < topology_.nodes() && topology_.host(vertex) != vertex)) {
        continue;
      }
      alike[{height_[vertex], first}].push_back(vertex);
    }
    group_of_.assign(topology_.vertices(), SIZE_MAX);
    for (auto& [key, vertices] : alike) {
      for (const std::uint32_t vertex : vertices) group_of_[vertex] = groups_.size();
      TreeGroup group;
      group.height = key.first;
      if (key.first == 0) group.nodes = {vertices.front()};
      group.vertices = std::move(vertices);
      groups_.push_back(std::move(group));
    }
  }

  void join_groups() {
    for (Link link = 0; link < topology_.links(); ++link) {
      const bool up = topology_.leads_up(link);
      const std::uint32_t low = up ? topology_.link_source(link) : topology_.link_target(link);
      const std::uint32_t high = up ? topology_.link_target(link) : topology_.link_source(link);
      if (group_of_[low] == SIZE_MAX) continue;
      TreeGroup& group = groups_[group_of_[low]];
      group.parent = group_of_[high];
      group.up.push_back(link);
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const std::size_t parent = groups_[i].parent;
      if (parent == SIZE_MAX) continue;
      groups_[parent].children.push_back(i);
      groups_[parent].nodes.insert(groups_[parent].nodes.end(), groups_[i].nodes.begin(),
                                   groups_[i].nodes.end());
    }
  }

  const Topology& topology_;
  std::vector<std::vector<Link>> parents_;  // by vertex: the links up
  std::vector<unsigned> height_;            // by vertex
  std::vector<Node> first_node_;            // by vertex: the first that is below
  std::vector<std::size_t> group_of_;       // by vertex
  std::vector<TreeGroup> groups_;
};

}  // namespace

std::vector<TreeGroup> grouped_tree(const Topology& topology) {
  return GroupedTree(topology).take();
}

}  // namespace tofa::cli
