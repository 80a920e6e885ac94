// SPDX-License-Identifier: BSD-3-Clause
// What layouts share: sizes, and which way a network is drawn.
#include "picture/layout.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kFewBoxes = 48;
constexpr std::size_t kSomeBoxes = 160;
constexpr std::size_t kLongLabel = 5;
constexpr double kCharacterWidth = 0.6;  // of the font size, for digits
constexpr double kPleasantAspect = 1.35;

}  // namespace

bool has_levels(const Topology& topology) {
  for (Link link = 0; link < topology.links(); ++link) {
    if (topology.leads_up(link)) return true;
  }
  return false;
}

std::size_t most_label_characters(std::size_t boxes) {
  if (boxes <= kFewBoxes) return 12;
  return boxes <= kSomeBoxes ? 6 : 5;
}

BoxStyle box_style(std::size_t boxes, std::size_t label_characters) {
  BoxStyle style{24, 19, 15, 10, 5.5};
  if (boxes <= kFewBoxes) {
    style = {50, 38, 32, 16, 9};
  } else if (boxes <= kSomeBoxes) {
    style = {32, 25, 20, 12, 7};
  }
  if (label_characters > kLongLabel) style.font_size *= 0.8;
  const double text = static_cast<double>(label_characters) * kCharacterWidth * style.font_size;
  style.width = std::max(style.width, std::ceil(text + 8));
  return style;
}

double rail_width(double wire_width) {
  return wire_width + 2;
}

double awkwardness(double panel_width, double panel_height) {
  return std::abs(std::log(2 * panel_width / panel_height / kPleasantAspect));
}

Layout lay_out(const Topology& topology, std::size_t label_characters) {
  const Grid* grid = topology.grid();
  if (grid != nullptr || has_levels(topology)) {
    Layout layout = grid != nullptr ? lay_out_grid(topology, *grid, label_characters)
                                    : lay_out_tree(topology, label_characters);
    layout.notes.emplace_back("The load of a link is that of its busier direction.");
    return layout;
  }
  throw Error(ErrorKind::unmet,
              fmt::format("there is no picture of a {} yet: grids (torus, mesh) and trees (flat, "
                          "tree, fat-tree) can be drawn; tofa explain says in words what changes",
                          topology.kind()));
}

}  // namespace tofa::cli
