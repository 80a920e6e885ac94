// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of a machine are in a picture of it: a box for every node, a wire for every link
// between them. Pure geometry: it knows neither mappings nor SVG. Both machines of a picture,
// before and after, are drawn over the same layout.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/topology.hpp"

namespace tofa::cli {

struct Point {
  double x = 0;
  double y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

// One node, or, where a machine is too large to draw them all, the nodes below one switch.
struct Box {
  Point centre;
  std::string name;
  std::vector<Node> nodes;
};

// A straight line that stands for some directed links: both directions of a cable, or of all cables
// that run in parallel there.
struct Wire {
  Point from;
  Point to;
  std::vector<Link> links;
};

// The body of a switch, from one point to another.
struct Rail {
  Point from;
  Point to;
};

enum class Anchor { start, middle, end };

struct Caption {
  Point at;
  std::string text;
  Anchor anchor = Anchor::middle;
};

struct Layout {
  double width = 0;
  double height = 0;
  double box_width = 0;
  double box_height = 0;
  double font_size = 0;              // of what stands in a box
  std::size_t label_characters = 0;  // that fit into a box
  double wire_width = 0;             // of the busiest wire
  std::vector<Box> boxes;
  std::vector<Wire> wires;
  std::vector<Rail> rails;
  std::vector<Point> holes;  // where a grid has no node
  std::vector<Caption> captions;
  std::vector<std::string> notes;  // how to read it, a sentence each
};

// How large boxes are, and what has to fit into them.
struct BoxStyle {
  double width;
  double height;
  double gap;  // between two boxes
  double font_size;
  double wire_width;
};

// How long the label of a box may be at most; lists of ranks that are longer become a number.
std::size_t most_label_characters(std::size_t boxes);
// For so many boxes, with labels of so many characters in them.
BoxStyle box_style(std::size_t boxes, std::size_t label_characters);
// Of the body of a switch, where the busiest wire is so wide.
double rail_width(double wire_width);
// How far the sides of a picture of two panels beside each other are from being pleasant; 0 is
// best.
double awkwardness(double panel_width, double panel_height);

// What people call the dimensions of a grid.
inline constexpr std::string_view kDimensionNames = "xyzuvw";

// Boxes of one network after the other at most; above, trees sum up what is below a switch.
inline constexpr std::size_t kMostBoxes = 1024;

// Whether routes go up and down again: trees, fat trees, flat networks.
bool has_levels(const Topology& topology);

// `label_characters` is the length of the longest text in a box. Throws Error (unmet) when there is
// no way to draw this kind of network, or it is too large.
Layout lay_out(const Topology& topology, std::size_t label_characters);

// The two ways there are, for `lay_out` to choose from.
Layout lay_out_grid(const Topology& topology, const Grid& grid, std::size_t label_characters);
Layout lay_out_tree(const Topology& topology, std::size_t label_characters);

}  // namespace tofa::cli
