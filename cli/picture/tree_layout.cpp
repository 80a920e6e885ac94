// SPDX-License-Identifier: BSD-3-Clause
// Trees, fat trees and flat networks with the top on the left: a switch is a bar with what is below
// it to its right, and the nodes of a switch sit along rails. Switches above the same nodes, as fat
// trees have them, are one bar, and the cables between two bars one wire. On machines with more
// nodes than can be drawn, a box stands for the nodes below one switch.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "picture/grouped_tree.hpp"
#include "picture/layout.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

constexpr double kLevelWidth = 92;  // from one bar to the next
constexpr double kTreeMargin = 10;
constexpr double kRowGap = 22;  // between the rows of two switches
constexpr unsigned kWidestRail = 32;
constexpr double kCostOfARail = 0.25;  // of breaking a switch's nodes into several, in awkwardness

class TreeLayout {
 public:
  TreeLayout(const Topology& topology, std::size_t label_characters)
      : topology_(topology), groups_(grouped_tree(topology)) {
    std::size_t boxes = count_boxes();
    while (boxes > kMostBoxes) {
      ++leaf_height_;
      boxes = count_boxes();
    }
    if (boxes == 0) {
      throw Error(
          ErrorKind::unmet,
          fmt::format("{} has more than {} nodes below one switch; that is too many to draw",
                      topology.describe(), kMostBoxes));
    }
    // What is known about labels is known of single nodes.
    if (leaf_height_ > 0) label_characters = most_label_characters(boxes);
    style_ = box_style(boxes, label_characters);
    layout_.label_characters = label_characters;
    style_.gap /= 3;
    for (const TreeGroup& group : groups_) {
      most_boxes_ = std::max(most_boxes_, boxes_of(group).size());
      if (!is_box(group)) levels_ = std::max(levels_, depth(group));
    }
  }

  Layout make() {
    choose_rails();
    layout_.box_width = style_.width;
    layout_.box_height = style_.height;
    layout_.font_size = style_.font_size;
    layout_.wire_width = style_.wire_width;
    const std::size_t top = groups_.size() - 1;
    const double bottom = draw(top, 0, kTreeMargin + (both_sides_ ? 14 : 34));
    caption_bar(groups_[top], bar_x(0), 12);
    layout_.width = panel_width();
    layout_.height = bottom + kTreeMargin - kRowGap;
    add_notes();
    return std::move(layout_);
  }

 private:
  bool is_box(const TreeGroup& group) const { return group.height <= leaf_height_; }

  // What hangs on a switch as a box.
  std::vector<std::size_t> boxes_of(const TreeGroup& group) const {
    std::vector<std::size_t> boxes;
    if (is_box(group)) return boxes;
    std::copy_if(group.children.begin(), group.children.end(), std::back_inserter(boxes),
                 [this](std::size_t child) { return is_box(groups_[child]); });
    return boxes;
  }

  std::size_t count_boxes() const {
    std::size_t count = 0;
    for (const TreeGroup& group : groups_) count += boxes_of(group).size();
    return count;
  }

  unsigned depth(const TreeGroup& group) const {
    unsigned depth = 0;
    for (std::size_t at = group.parent; at != SIZE_MAX; at = groups_[at].parent) ++depth;
    return depth;
  }

  double half_rail() const { return rail_width(style_.wire_width) / 2; }
  double stub() const { return half_rail() + std::max(9.0, style_.gap); }
  double bar_x(unsigned depth) const { return kTreeMargin + 6 + depth * kLevelWidth; }
  double rail_x() const { return bar_x(levels_) + 16; }
  double pitch() const { return style_.width + style_.gap; }
  double rail_height() const {
    return both_sides_ ? 2 * (style_.height + stub()) : style_.height + stub();
  }
  double panel_width() const { return rail_x() + columns_ * pitch() - style_.gap + kTreeMargin; }
  std::size_t rails_for(std::size_t boxes) const {
    const std::size_t per_rail = std::size_t{columns_} * (both_sides_ ? 2 : 1);
    return (boxes + per_rail - 1) / per_rail;
  }
  double panel_height() const {
    double height = 0;
    for (const TreeGroup& group : groups_) {
      const std::size_t boxes = boxes_of(group).size();
      if (boxes > 0) height += static_cast<double>(rails_for(boxes)) * (rail_height() + kRowGap);
    }
    return height;
  }

  // How many boxes beside each other, and whether on both sides of their rail: whatever makes the
  // most pleasant picture.
  void choose_rails() {
    double best = INFINITY;
    unsigned columns = 1;
    bool both_sides = false;
    const auto most = static_cast<unsigned>(std::min<std::size_t>(most_boxes_, kWidestRail));
    for (const bool both : {false, true}) {
      for (columns_ = 1; columns_ <= most; ++columns_) {
        both_sides_ = both;
        if (both && std::size_t{columns_} * 2 > most_boxes_ + 1) break;
        const double here = awkwardness(panel_width(), panel_height()) +
                            kCostOfARail * static_cast<double>(rails_for(most_boxes_) - 1);
        if (here >= best) continue;
        best = here;
        columns = columns_;
        both_sides = both;
      }
    }
    columns_ = columns;
    both_sides_ = both_sides;
  }

  // Draws a switch and all below it from `y` down; returns where it ends.
  double draw(std::size_t index, unsigned depth, double y) {
    const TreeGroup& group = groups_[index];
    const double x = bar_x(depth);
    double first = INFINITY;  // where the bar has something to hold
    double last = 0;
    const auto hold = [&](double at) {
      first = std::min(first, at);
      last = std::max(last, at);
    };
    const std::vector<std::size_t> boxes = boxes_of(group);
    const std::size_t per_rail = std::size_t{columns_} * (both_sides_ ? 2 : 1);
    for (std::size_t begin = 0; begin < boxes.size(); begin += per_rail) {
      const std::size_t end = std::min(boxes.size(), begin + per_rail);
      hold(draw_rail({boxes.begin() + static_cast<std::ptrdiff_t>(begin),
                      boxes.begin() + static_cast<std::ptrdiff_t>(end)},
                     x, y));
      y += rail_height() + kRowGap;
    }
    for (const std::size_t child : group.children) {
      if (is_box(groups_[child])) continue;
      y = draw(child, depth + 1, y);
      hold(join(groups_[child], depth + 1));
    }
    layout_.rails.push_back({{x, first}, {x, std::max(last, first + 1)}});
    middle_of_last_ = (first + last) / 2;
    return y;
  }

  // A rail with boxes along it; returns its height.
  double draw_rail(const std::vector<std::size_t>& boxes, double from, double y) {
    const double rail = both_sides_ ? y + style_.height + stub() : y;
    double end = rail_x();
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const TreeGroup& box = groups_[boxes[i]];
      const bool above = both_sides_ && i < (boxes.size() + 1) / 2;
      const std::size_t column = both_sides_ && !above ? i - (boxes.size() + 1) / 2 : i;
      const double x = rail_x() + static_cast<double>(column) * pitch() + style_.width / 2;
      const double away = above ? -1 : 1;
      layout_.boxes.push_back({{x, rail + away * (stub() + style_.height / 2)},
                               topology_.vertex_name(box.vertices.front()),
                               box.nodes});
      layout_.wires.push_back(
          {{x, rail + away * half_rail()}, {x, rail + away * (stub() + 1)}, box.up});
      end = std::max(end, x);
    }
    layout_.rails.push_back({{from, rail}, {end, rail}});
    return rail;
  }

  // The wire from a bar that was just drawn to the one above it; returns its height.
  double join(const TreeGroup& group, unsigned depth) {
    const double y = middle_of_last_;
    const double x = bar_x(depth);
    layout_.wires.push_back({{bar_x(depth - 1) + half_rail(), y}, {x - half_rail(), y}, group.up});
    const double middle = (bar_x(depth - 1) + x) / 2;
    caption_bar(group, middle, y - 8);
    const std::size_t cables = group.up.size() / 2;
    if (cables > 1) {
      layout_.captions.push_back({{middle, y + 16}, fmt::format("{} cables", cables)});
    }
    return y;
  }

  void caption_bar(const TreeGroup& group, double x, double y) {
    const std::size_t count = group.vertices.size();
    std::string text = topology_.vertex_name(group.vertices.front());
    if (count > 1) text = fmt::format("{} switches", count);
    if (depth(group) == 0) {
      layout_.captions.push_back({{kTreeMargin, y}, text, Anchor::start});
    } else {
      layout_.captions.push_back({{x, y}, text});
    }
  }

  void add_notes() {
    auto& notes = layout_.notes;
    const bool bundles = std::any_of(
        groups_.begin(), groups_.end(),
        [this](const TreeGroup& group) { return !is_box(group) && group.up.size() > 2; });
    const bool merged = std::any_of(groups_.begin(), groups_.end(), [](const TreeGroup& group) {
      return group.vertices.size() > 1;
    });
    notes.emplace_back("Grey bars are switches, the top one on the left.");
    if (merged) notes.emplace_back("Switches above the same nodes are drawn as one bar.");
    if (bundles) {
      notes.emplace_back("Where several cables run in parallel, the busiest of them is shown.");
    }
    if (leaf_height_ > 0) notes.emplace_back("A box stands for all nodes below one switch.");
  }

  const Topology& topology_;
  std::vector<TreeGroup> groups_;
  unsigned leaf_height_ = 0;  // groups up to this high are boxes
  BoxStyle style_{};
  std::size_t most_boxes_ = 0;  // on one switch
  unsigned levels_ = 0;         // of bars below the top one
  unsigned columns_ = 1;        // boxes beside each other
  bool both_sides_ = false;     // of their rail
  double middle_of_last_ = 0;   // of the bar drawn last
  Layout layout_;
};

}  // namespace

Layout lay_out_tree(const Topology& topology, std::size_t label_characters) {
  return TreeLayout(topology, label_characters).make();
}

}  // namespace tofa::cli
