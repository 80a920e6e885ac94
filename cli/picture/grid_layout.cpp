// SPDX-License-Identifier: BSD-3-Clause
// Toruses and meshes as layers: the first two dimensions span a layer, one layer for every position
// in the others, side by side. Layers that are long are folded into blocks. A link to a node that
// is not beside this one, in another layer or round the back, is a short line at both of its ends.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "picture/layout.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kMostPositions = 4096;
constexpr unsigned kLongestSide = 16;  // of a block

// Around the boxes of a block: room for its caption, for coordinates, and for lines that leave.
constexpr double kCaptionHeight = 22;
constexpr double kCoordinateRoom = 14;
constexpr double kBlockGap = 14;

// How a dimension is cut into pieces of nearly equal length.
struct Fold {
  unsigned extent;
  unsigned pieces;
  unsigned length;  // of the longest piece

  explicit Fold(unsigned all)
      : extent(all),
        pieces((all + kLongestSide - 1) / kLongestSide),
        length((all + pieces - 1) / pieces) {}
};

// Which way a short line leaves a box.
enum Side : unsigned { right, left, down, up, up_right, down_left, up_left, down_right };

Side side_of(std::size_t dimension, bool upwards) {
  switch (dimension) {
    case 0:
      return upwards ? right : left;
    case 1:
      return upwards ? down : up;
    case 2:
      return upwards ? up_right : down_left;
    default:
      return upwards ? up_left : down_right;
  }
}

class GridLayout {
 public:
  GridLayout(const Topology& topology, const Grid& grid, std::size_t label_characters)
      : topology_(topology),
        grid_(grid),
        columns_(grid.extent(0)),
        rows_(grid.dimensions() > 1 ? grid.extent(1) : 1) {
    const std::size_t positions = grid.positions();
    if (positions > kMostPositions) {
      throw Error(ErrorKind::unmet, fmt::format("{} has {} positions; pictures of grids end at {}",
                                                topology.describe(), positions, kMostPositions));
    }
    blocks_ = columns_.pieces * rows_.pieces;
    for (std::size_t d = 2; d < grid_.dimensions(); ++d) blocks_ *= grid_.extent(d);
    style_ = box_style(positions, label_characters);
    layout_.label_characters = label_characters;
  }

  Layout make() {
    arrange_blocks();
    add_blocks();
    add_boxes();
    add_wires();
    add_notes();
    return std::move(layout_);
  }

 private:
  double stub() const { return style_.gap * 0.42; }
  double pitch_x() const { return style_.width + style_.gap; }
  double pitch_y() const { return style_.height + style_.gap; }
  double block_top() const { return (blocks_ > 1 ? kCaptionHeight : 0) + kCoordinateRoom + stub(); }
  double block_left() const { return kCoordinateRoom + stub(); }
  double block_width() const {
    return block_left() + columns_.length * pitch_x() - style_.gap + stub() + kBlockGap;
  }
  double block_height() const {
    return block_top() + rows_.length * pitch_y() - style_.gap + stub() + kBlockGap;
  }

  // As many blocks beside each other as make the picture neither very wide nor very high.
  void arrange_blocks() {
    double best = INFINITY;
    for (unsigned across = 1; across <= blocks_; ++across) {
      const unsigned high = (blocks_ + across - 1) / across;
      const double here = awkwardness(across * block_width(), high * block_height());
      if (here >= best) continue;
      best = here;
      across_ = across;
      layout_.width = across * block_width();
      layout_.height = high * block_height();
    }
    layout_.box_width = style_.width;
    layout_.box_height = style_.height;
    layout_.font_size = style_.font_size;
    layout_.wire_width = style_.wire_width;
  }

  // Blocks count the pieces of x fastest, then those of y, then the other dimensions.
  unsigned block_of(const std::vector<unsigned>& at) const {
    unsigned block = 0;
    for (std::size_t d = grid_.dimensions(); d-- > 2;) block = block * grid_.extent(d) + at[d];
    if (grid_.dimensions() > 1) block = block * rows_.pieces + at[1] / rows_.length;
    return block * columns_.pieces + at[0] / columns_.length;
  }

  Point origin(unsigned block) const {
    return {block % across_ * block_width(), std::floor(block / across_) * block_height()};
  }

  Point centre(const std::vector<unsigned>& at) const {
    const Point corner = origin(block_of(at));
    const unsigned row = grid_.dimensions() > 1 ? at[1] % rows_.length : 0;
    return {corner.x + block_left() + at[0] % columns_.length * pitch_x() + style_.width / 2,
            corner.y + block_top() + row * pitch_y() + style_.height / 2};
  }

  // Captions of the blocks: which part of the machine each is, and coordinates along its sides.
  void add_blocks() {
    for (unsigned block = 0; block < blocks_; ++block) {
      unsigned rest = block;
      const unsigned first_x = rest % columns_.pieces * columns_.length;
      rest /= columns_.pieces;
      const unsigned first_y = rest % rows_.pieces * rows_.length;
      rest /= rows_.pieces;
      const unsigned end_x = std::min(first_x + columns_.length, columns_.extent);
      const unsigned end_y = std::min(first_y + rows_.length, rows_.extent);
      std::string title;
      const auto part = [&title](const std::string& text) {
        title += (title.empty() ? "" : ", ") + text;
      };
      for (std::size_t d = 2; d < grid_.dimensions(); ++d) {
        part(fmt::format("{} = {}", kDimensionNames[d], rest % grid_.extent(d)));
        rest /= grid_.extent(d);
      }
      if (columns_.pieces > 1) part(fmt::format("x = {} to {}", first_x, end_x - 1));
      if (rows_.pieces > 1) part(fmt::format("y = {} to {}", first_y, end_y - 1));
      add_block_captions(origin(block), title, {first_x, end_x}, {first_y, end_y});
    }
  }

  void add_block_captions(Point corner, const std::string& title, std::array<unsigned, 2> x,
                          std::array<unsigned, 2> y) {
    if (blocks_ > 1) {
      layout_.captions.push_back({{corner.x + block_left(), corner.y + 13}, title, Anchor::start});
    }
    const double top = corner.y + block_top() - stub() - 4;
    for (unsigned i = x[0]; i < x[1]; ++i) {
      const double at = corner.x + block_left() + (i - x[0]) * pitch_x() + style_.width / 2;
      layout_.captions.push_back({{at, top}, std::to_string(i), Anchor::middle});
    }
    if (grid_.dimensions() < 2) return;
    const double side = corner.x + block_left() - stub() - 3;
    for (unsigned i = y[0]; i < y[1]; ++i) {
      const double at = corner.y + block_top() + (i - y[0]) * pitch_y() + style_.height / 2 + 4;
      layout_.captions.push_back({{side, at}, std::to_string(i), Anchor::end});
    }
  }

  void add_boxes() {
    for (std::uint32_t vertex = 0; vertex < topology_.vertices(); ++vertex) {
      if (vertex >= topology_.nodes()) {
        layout_.holes.push_back(centre(topology_.coordinates(vertex)));
      } else if (topology_.host(vertex) == vertex) {
        layout_.boxes.push_back(
            {centre(topology_.coordinates(vertex)), topology_.name(vertex), {vertex}});
      }
    }
  }

  // All links between two neighbours are one wire: both directions, and in a ring of two positions
  // both ways round.
  void add_wires() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Link>> pairs;
    for (Link link = 0; link < topology_.links(); ++link) {
      const std::uint32_t a = topology_.link_source(link);
      const std::uint32_t b = topology_.link_target(link);
      if (a != b) pairs[{std::min(a, b), std::max(a, b)}].push_back(link);
    }
    for (const auto& [ends, links] : pairs) add_wire(ends.first, ends.second, links);
    for (const auto& [where, links] : stubs_) add_stub(where.first, where.second, links);
  }

  void add_wire(std::uint32_t first, std::uint32_t second, const std::vector<Link>& links) {
    const std::vector<unsigned> a = topology_.coordinates(first);
    const std::vector<unsigned> b = topology_.coordinates(second);
    const std::size_t d =
        static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
    const bool ring_of_two = grid_.extent(d) == 2 && grid_.wraps(d);
    const bool neighbours = std::max(a[d], b[d]) - std::min(a[d], b[d]) == 1;
    if (!neighbours && !grid_.wraps(d)) return;  // a mesh ends there
    two_way_rings_ |= ring_of_two;
    if (neighbours && d < 2 && block_of(a) == block_of(b)) {
      layout_.wires.push_back({centre(a), centre(b), links});
      return;
    }
    rims_ |= d < 2 && !neighbours;
    const bool first_upwards = neighbours == (a[d] < b[d]);
    for (const auto& [vertex, upwards] :
         {std::pair{first, first_upwards}, std::pair{second, !first_upwards}}) {
      std::vector<Link>& there = stubs_[{vertex, side_of(d, upwards)}];
      there.insert(there.end(), links.begin(), links.end());
    }
  }

  void add_stub(std::uint32_t vertex, unsigned side, const std::vector<Link>& links) {
    constexpr std::array<Point, 8> ways = {
        {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}, {-1, -1}, {1, 1}}};
    const Point way = ways[side];
    const Point middle = centre(topology_.coordinates(vertex));
    const bool diagonal = side >= up_right;
    // Corners of boxes are round: diagonals begin a little inside.
    const double inset = diagonal ? 4 : 0;
    const double length = diagonal ? style_.gap * 0.36 : stub();
    const Point rim{middle.x + way.x * (style_.width / 2 - inset),
                    middle.y + way.y * (style_.height / 2 - inset)};
    layout_.wires.push_back(
        {rim, {rim.x + way.x * (length + inset), rim.y + way.y * (length + inset)}, links});
  }

  void add_notes() {
    auto& notes = layout_.notes;
    notes.emplace_back(grid_.dimensions() > 1
                           ? "Numbers along the sides are coordinates: x across, y down."
                           : "Numbers along the top are coordinates.");
    if (rims_) notes.emplace_back("Lines that end at the rim go round to the other side.");
    if (columns_.pieces * rows_.pieces > 1) {
      notes.emplace_back("Lines that end between blocks go on in the next one.");
    }
    if (grid_.dimensions() > 2 && grid_.extent(2) > 1) {
      notes.emplace_back(
          "Short diagonals lead to the next layer (to the upper right) and to the one before (to "
          "the lower left).");
    }
    if (grid_.dimensions() > 3) {
      notes.emplace_back(
          "Those to the upper left and lower right lead along the further dimensions, the busiest "
          "of which is shown.");
    }
    if (two_way_rings_) {
      notes.emplace_back("Where a ring has two nodes, one line stands for both cables.");
    }
    if (!layout_.holes.empty()) notes.emplace_back("A dot is a position without a node.");
  }

  const Topology& topology_;
  const Grid& grid_;
  Fold columns_;
  Fold rows_;
  unsigned blocks_ = 1;
  unsigned across_ = 1;  // blocks beside each other
  BoxStyle style_{};
  std::map<std::pair<std::uint32_t, unsigned>, std::vector<Link>> stubs_;  // by vertex and side
  bool two_way_rings_ = false;
  bool rims_ = false;
  Layout layout_;
};

}  // namespace

Layout lay_out_grid(const Topology& topology, const Grid& grid, std::size_t label_characters) {
  return GridLayout(topology, grid, label_characters).make();
}

}  // namespace tofa::cli
