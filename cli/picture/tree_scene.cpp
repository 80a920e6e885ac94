// SPDX-License-Identifier: BSD-3-Clause
// Trees, fat trees and flat networks in space: the nodes stand on the ground, those of a switch
// together, and every switch is above the middle of what is below it. Switches above the same
// nodes are spread over these. Small trees are one row deep, as on paper.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "picture/grouped_tree.hpp"
#include "picture/scene.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kLongestRow = 24;      // nodes of a tree that is one row deep
constexpr double kPleasantTreeAspect = 1.8;  // of the ground it stands on
constexpr double kSwitchGap = 0.7;           // between what is below two switches
constexpr double kLeastLevel = 1.6;          // from one level to the next

class TreeScene {
 public:
  explicit TreeScene(const Topology& topology)
      : topology_(topology),
        groups_(grouped_tree(topology)),
        ground_(groups_.size()),
        place_of_(topology.vertices()),
        drawn_(topology.vertices()) {
    one_row_ = groups_.back().nodes.size() <= kLongestRow;
  }

  Scene make() {
    for (std::size_t i = 0; i < groups_.size(); ++i) measure(i);
    const Ground& all = ground_.back();
    const double height = 0.5 * std::max(all.width, all.depth);
    level_ = std::max(kLeastLevel, height / std::max(1U, groups_.back().height));
    for (std::size_t i = groups_.size(); i-- > 0;) put(i);
    Scene scene;
    scene.shape = "tree";
    add_vertices(scene, topology_, place_of_, drawn_);
    add_wires(scene, topology_);
    scene.node_radius = 0.32;
    scene.yaw = one_row_ ? 0 : 18;
    scene.pitch = one_row_ ? 8 : 24;
    scene.notes.emplace_back("Nodes stand at the bottom, switches above what they connect.");
    return scene;
  }

 private:
  // What a group stands on; the corner is left in front, until put() seen from its parent's.
  struct Ground {
    double x = 0;
    double y = 0;
    double width = 1;
    double depth = 1;
  };

  // Children are measured before their parents.
  void measure(std::size_t index) {
    const std::vector<std::size_t>& children = groups_[index].children;
    if (children.empty()) return;
    double width = 0;
    double depth = 0;
    double gap = 0;
    for (const std::size_t child : children) {
      width = std::max(width, ground_[child].width);
      depth = std::max(depth, ground_[child].depth);
      if (groups_[child].height > 0) gap = kSwitchGap * groups_[child].height;
    }
    const std::size_t columns = columns_for(children.size(), width + gap, depth + gap);
    const std::size_t rows = (children.size() + columns - 1) / columns;
    for (std::size_t i = 0; i < children.size(); ++i) {
      const std::size_t row = i / columns;
      Ground& child = ground_[children[i]];
      child.x = static_cast<double>(i % columns) * (width + gap) + (width - child.width) / 2;
      child.y = static_cast<double>(row) * (depth + gap) + (depth - child.depth) / 2;
    }
    ground_[index].width = static_cast<double>(columns) * (width + gap) - gap;
    ground_[index].depth = static_cast<double>(rows) * (depth + gap) - gap;
  }

  std::size_t columns_for(std::size_t count, double width, double depth) const {
    if (one_row_) return count;
    std::size_t best = 1;
    double least = INFINITY;
    for (std::size_t columns = 1; columns <= count; ++columns) {
      const std::size_t rows = (count + columns - 1) / columns;
      const double aspect =
          static_cast<double>(columns) * width / (static_cast<double>(rows) * depth);
      // What stays empty in the last row costs, too.
      const double empty = static_cast<double>(rows * columns - count) / static_cast<double>(count);
      const double here = std::abs(std::log(aspect / kPleasantTreeAspect)) + empty;
      if (here >= least) continue;
      least = here;
      best = columns;
    }
    return best;
  }

  // Parents are put before their children.
  void put(std::size_t index) {
    const TreeGroup& group = groups_[index];
    Ground& ground = ground_[index];
    if (group.parent != SIZE_MAX) {
      ground.x += ground_[group.parent].x;
      ground.y += ground_[group.parent].y;
    }
    const auto count = static_cast<double>(group.vertices.size());
    const double across =
        one_row_
            ? count
            : std::clamp(std::round(std::sqrt(count * ground.width / ground.depth)), 1.0, count);
    const double deep = std::ceil(count / across);
    for (std::size_t i = 0; i < group.vertices.size(); ++i) {
      const auto at = static_cast<double>(i);
      place_of_[group.vertices[i]] = {
          ground.x + (std::fmod(at, across) + 0.5) * ground.width / across,
          ground.y + (std::floor(at / across) + 0.5) * ground.depth / deep, level_ * group.height};
      drawn_[group.vertices[i]] = true;
    }
  }

  const Topology& topology_;
  std::vector<TreeGroup> groups_;
  std::vector<Ground> ground_;    // by group
  std::vector<Point3> place_of_;  // by vertex
  std::vector<bool> drawn_;       // by vertex
  bool one_row_ = false;
  double level_ = kLeastLevel;
};

}  // namespace

Scene tree_scene(const Topology& topology) {
  return TreeScene(topology).make();
}

}  // namespace tofa::cli
