// SPDX-License-Identifier: BSD-3-Clause
// Makes a tree of cables by a walk from its middle: see cable_tree.hpp.
#include "topology/cable_tree.hpp"

namespace tofa {
namespace {

struct Neighbour {
  std::uint32_t vertex;
  std::uint32_t cable;
};
using Neighbours = std::vector<std::vector<Neighbour>>;  // by vertex

Neighbours neighbours_of(std::uint32_t vertices, const std::vector<CableTree::Cable>& cables) {
  Neighbours result(vertices);
  for (std::uint32_t i = 0; i < cables.size(); ++i) {
    result[cables[i].a].push_back({cables[i].b, i});
    result[cables[i].b].push_back({cables[i].a, i});
  }
  return result;
}

// Vertices that hang on one cable are taken away, then those that do so now, and so on: the last
// one that is left.
std::uint32_t middle_of(const Neighbours& neighbours) {
  std::vector<std::size_t> left;
  std::vector<std::uint32_t> order;
  for (std::uint32_t vertex = 0; vertex < neighbours.size(); ++vertex) {
    left.push_back(neighbours[vertex].size());
    if (left.back() <= 1) order.push_back(vertex);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Neighbour& next : neighbours[order[i]]) {
      if (--left[next.vertex] == 1) order.push_back(next.vertex);
    }
  }
  return order.empty() ? 0 : order.back();
}

}  // namespace

std::optional<CableTree> CableTree::of(std::uint32_t vertices, const std::vector<Cable>& cables) {
  if (vertices == 0 || cables.size() + 1 != vertices) return std::nullopt;
  const Neighbours neighbours = neighbours_of(vertices, cables);
  const std::uint32_t root = middle_of(neighbours);
  CableTree tree;
  tree.parent_.assign(vertices, root);
  tree.up_.assign(vertices, 0);
  tree.steps_.assign(vertices, 0);
  tree.below_root_.assign(vertices, 0);
  std::vector<bool> reached(vertices, false);
  std::vector<std::uint32_t> order{root};
  reached[root] = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t vertex = order[i];
    if (tree.steps_[vertex] > kMostSteps) return std::nullopt;
    for (const auto& [next, cable] : neighbours[vertex]) {
      if (reached[next]) continue;
      reached[next] = true;
      order.push_back(next);
      tree.parent_[next] = vertex;
      tree.up_[next] = cable;
      tree.steps_[next] = tree.steps_[vertex] + 1;
      tree.below_root_[next] = tree.below_root_[vertex] + cables[cable].length;
    }
  }
  if (order.size() != vertices) return std::nullopt;
  return tree;
}

}  // namespace tofa
