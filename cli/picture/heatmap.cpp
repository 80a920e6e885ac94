// SPDX-License-Identifier: BSD-3-Clause
// Heatmaps as SVG. All cells of one colour are one path of horizontal strokes, one cell high, so
// that a thousand ranks still make a small document; lone cells, which are drawn larger, are
// another.
#include "picture/heatmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "picture/axis_labels.hpp"
#include "picture/svg_text.hpp"
#include "picture/traffic_colours.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {

namespace {

constexpr std::size_t kMostBytes = 1'990'000;  // of the document
constexpr std::size_t kLevels = kColourLevels;
constexpr double kSide =
    640;  // of the plot; all lengths but the document's own size are in its units
constexpr double kLeastCellPixels = 2;
constexpr double kLeft = 84;
constexpr double kTop = 64;
constexpr double kLegendGap = 30;
constexpr double kLegendWidth = 18;
constexpr double kRightMargin = 130;
constexpr double kBottomMargin = 92;
constexpr std::size_t kLongestTitle = 64;
constexpr std::size_t kAxisCharacters = 80;  // that fit along the plot

// The end of a long title says more than its beginning: it is usually a path.
std::string short_title(const std::string& title) {
  if (find_invalid_utf8(title) != std::string::npos) return "communication graph";
  if (title.size() <= kLongestTitle) return title;
  std::size_t start = title.size() - kLongestTitle;
  while ((static_cast<unsigned char>(title[start]) & 0xC0) == 0x80) ++start;
  return "..." + title.substr(start);
}

class HeatmapWriter : SvgText {
 public:
  HeatmapWriter(const HeatmapGrid& grid, const std::string& title, bool bytes,
                const HeatmapStyle& style, double between_nodes)
      : grid_(grid),
        title_(escape_xml(short_title(title))),
        bytes_(bytes),
        style_(style),
        between_nodes_(between_nodes),
        scale_(style.scale, grid.least, grid.most),
        cell_(kSide / std::max<Rank>(grid.size, 1)),
        marks_(cell_marks(grid)) {}

  std::string write() {
    constexpr double width = kLeft + kSide + kLegendGap + kLegendWidth + kRightMargin;
    constexpr double height = kTop + kSide + kBottomMargin;
    // Cells of a whole number of pixels are equally large; and tiny ones would be hard to see.
    const double zoom = std::max(kLeastCellPixels, std::ceil(cell_)) / cell_;
    print(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" "
        "viewBox=\"0 0 {} {}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" "
        "font-size=\"13\" fill=\"#222\">\n",
        width * zoom, height * zoom, width, height);
    print("<title>{}</title>\n", title_);
    print("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n", width, height);
    write_title();
    write_cells();
    write_axes();
    write_legend();
    write_notes();
    print("</svg>\n");
    return text();
  }

 private:
  std::string amount(double value) const { return format_amount(value, bytes_); }

  void write_title() {
    print("<text x=\"{}\" y=\"28\" font-size=\"17\" font-weight=\"bold\">{}</text>\n", kLeft,
          title_);
    std::string nodes;
    if (const std::size_t count = style_.order.blocks.size(); count > 0) {
      nodes = fmt::format(" on {} node{}, {:.3g} % between nodes", count, count == 1 ? "" : "s",
                          100 * between_nodes_);
    }
    print("<text x=\"{}\" y=\"48\" fill=\"#555\">{} rank{}, {}{} in total{}</text>\n", kLeft,
          grid_.ranks, grid_.ranks == 1 ? "" : "s", amount(grid_.total), bytes_ ? "" : " messages",
          nodes);
  }

  std::size_t level(double bytes) const {
    if (bytes <= 0) return kLevels;  // background
    return std::min(kLevels - 1, static_cast<std::size_t>(scale_.position(bytes) * kLevels));
  }

  std::string level_colour(std::size_t level) const { return traffic_colour(level); }

  void write_cells() {
    std::array<fmt::memory_buffer, kLevels> paths;
    for (Rank row = 0; row < grid_.size; ++row) add_row(row, paths);
    print("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#f4f4f6\"/>\n", kLeft, kTop,
          kSide, kSide);
    print(
        "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\" viewBox=\"0 0 {3} {3}\" "
        "fill=\"none\" stroke-width=\"{4:.3g}\" shape-rendering=\"crispEdges\">\n",
        kLeft, kTop, kSide, std::max<Rank>(grid_.size, 1), marks_.every);
    for (std::size_t i = 0; i < kLevels; ++i) {
      if (paths[i].size() == 0) continue;
      print("<path stroke=\"{}\" d=\"{}\"/>\n", level_colour(i), fmt::to_string(paths[i]));
    }
    write_marked_cells();
    write_grid_lines();
    write_blocks();
    print("</svg>\n");
    print("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
          kLeft - 0.5, kTop - 0.5, kSide + 1, kSide + 1);
  }

  // Appends the runs of equal cells of a row to the path of their level. Coordinates are relative
  // to the end of the run before, which makes them short.
  void add_row(Rank row, std::array<fmt::memory_buffer, kLevels>& paths) {
    constexpr Rank none = ~Rank{0};
    std::array<Rank, kLevels> ends;
    ends.fill(none);
    const double* cells = grid_.values.data() + std::size_t{row} * grid_.size;
    for (Rank column = 0; column < grid_.size;) {
      const std::size_t here = level(cells[column]);
      Rank end = column + 1;
      while (end < grid_.size && level(cells[end]) == here) ++end;
      if (here < kLevels) {
        const auto at = std::back_inserter(paths[here]);
        const double more = marks_.every - 1;  // half of it to either side
        if (ends[here] == none) {
          fmt::format_to(at, "M{:.5g} {}.5h{:.5g}", column - more / 2, row, end - column + more);
        } else {
          fmt::format_to(at, "m{:.5g} 0h{:.5g}", column - ends[here] - more, end - column + more);
        }
        ends[here] = end;
      }
      column = end;
    }
  }

  // Cells that are large enough are set apart from each other.
  void write_grid_lines() {
    if (cell_ < 10) return;
    print("<path stroke=\"#fff\" stroke-width=\"{:.4f}\" d=\"", 1 / cell_);
    for (Rank i = 1; i < grid_.size; ++i) print("M{0} 0v{1}M0 {0}h{1}", i, grid_.size);
    print("\"/>\n");
  }

  void write_marked_cells() {
    const double mark = std::max(marks_.lone, marks_.heavy);
    if (mark <= 1) return;
    for (Rank row = 0; row < grid_.size; ++row) {
      for (Rank column = 0; column < grid_.size; ++column) {
        if (!stands_out(grid_, marks_, row, column)) continue;
        const double most = grid_.size - mark;  // the mark stays inside
        print("<path stroke=\"{}\" stroke-width=\"{:.3g}\" d=\"M{:.5g} {:.5g}h{:.3g}\"/>\n",
              level_colour(level(grid_.at(row, column))), mark,
              std::clamp(column + 0.5 - mark / 2, 0.0, most),
              std::clamp(row + 0.5 - mark / 2, 0.0, most) + mark / 2, mark);
      }
    }
  }

  bool outlines_blocks() const { return worth_outlining(style_.order, grid_.ranks); }

  // Squares around what stays inside nodes.
  void write_blocks() {
    if (!outlines_blocks()) return;
    print("<path stroke=\"#1f2933\" stroke-width=\"{:.4f}\" stroke-opacity=\"0.75\" d=\"",
          1.2 / cell_);
    for (const NodeBlock& block : style_.order.blocks) {
      const double from = static_cast<double>(block.first) / grid_.ranks_per_cell;
      const double side = static_cast<double>(block.end - block.first) / grid_.ranks_per_cell;
      print("M{0:.5g} {0:.5g}h{1:.5g}v{1:.5g}h-{1:.5g}z", from, side);
    }
    print("\"/>\n");
  }

  void write_axes() {
    for (const AxisLabel& label : axis_labels(grid_.ranks, style_.order, kAxisCharacters)) {
      const double at = cell_ * label.at / grid_.ranks_per_cell;
      const std::string text = escape_xml(label.text);
      print("<path stroke=\"#888\" d=\"M{:.2f} {}v5M{} {:.2f}h-5\"/>\n", kLeft + at,
            kTop + kSide + 1, kLeft - 1, kTop + at);
      print("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", kLeft + at,
            kTop + kSide + 20, text);
      print("<text x=\"{}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", kLeft - 9,
            kTop + at + 4.5, text);
    }
    write_axis_titles();
  }

  void write_axis_titles() {
    const char* order = style_.order.in_rank_order() ? "" : ", sorted by node";
    print(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"15\">receiver "
        "rank{}</text>\n",
        kLeft + kSide / 2, kTop + kSide + 44, order);
    print(
        "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\" "
        "font-size=\"15\">sender rank{}</text>\n",
        style_.order.in_rank_order() ? 24 : 16, kTop + kSide / 2, order);
  }

  void write_legend() {
    if (grid_.most <= 0) return;
    const double left = kLeft + kSide + kLegendGap;
    const double part = kSide / kLevels;
    for (std::size_t i = 0; i < kLevels; ++i) {
      print("<rect x=\"{}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" fill=\"{}\"/>\n", left,
            kTop + kSide - part * static_cast<double>(i + 1), kLegendWidth,
            part + (i > 0 ? 0.5 : 0.0), level_colour(i));
    }
    print("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
          left - 0.5, kTop - 0.5, kLegendWidth + 1, kSide + 1);
    for (const double tick : scale_.ticks(bytes_)) {
      const double at = kTop + kSide * (1 - scale_.position(tick));
      print("<path stroke=\"#888\" d=\"M{} {:.2f}h5\"/>\n", left + kLegendWidth + 1, at);
      print("<text x=\"{}\" y=\"{:.2f}\">{}</text>\n", left + kLegendWidth + 10, at + 4.5,
            amount(tick));
    }
    print(
        "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\" "
        "font-size=\"15\">{} sent, {} scale</text>\n",
        left + kLegendWidth + 92, kTop + kSide / 2, bytes_ ? "bytes" : "messages",
        style_.scale == ScaleKind::linear ? "linear" : "log");
  }

  void write_notes() {
    std::string note = "no traffic";
    if (grid_.most > 0) {
      note = fmt::format("least {}, most {} in a cell", amount(grid_.least), amount(grid_.most));
    }
    if (grid_.ranks_per_cell > 1) {
      note += fmt::format("; a cell sums {0} x {0} ranks", grid_.ranks_per_cell);
    }
    if (marks_.every > 1) note += "; cells are drawn larger than they are";
    if (marks_.lone > 1) note += "; cells on their own are drawn larger";
    if (marks_.heavy > 1) note += "; cells far above all others are drawn larger";
    if (outlines_blocks()) note += "; squares are nodes";
    print("<text x=\"{}\" y=\"{}\" fill=\"#555\">{}</text>\n", kLeft, kTop + kSide + 72, note);
  }

  const HeatmapGrid& grid_;
  std::string title_;  // as it goes into the document
  bool bytes_;         // or messages
  const HeatmapStyle& style_;
  double between_nodes_;  // of all traffic
  ColourScale scale_;
  double cell_;  // side of a cell
  CellMarks marks_;
};

}  // namespace

std::string heatmap_svg(const Traffic& traffic, const std::string& title,
                        const HeatmapStyle& style) {
  const bool bytes = !counts_messages(traffic);
  const double between_nodes =
      style.order.blocks.empty() ? 0 : share_between_nodes(traffic, style.order);
  Rank ranks_per_cell = fitting_ranks_per_cell(traffic.ranks);
  for (;; ++ranks_per_cell) {
    const HeatmapGrid grid = make_heatmap_grid(traffic, ranks_per_cell, style.order);
    std::string svg = HeatmapWriter(grid, title, bytes, style, between_nodes).write();
    if (svg.size() <= kMostBytes || grid.size <= 1) return svg;
  }
}

}  // namespace tofa::cli
