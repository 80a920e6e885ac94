// SPDX-License-Identifier: BSD-3-Clause
// Heatmaps as SVG. All cells of one colour are one path of horizontal strokes, one cell high, so
// that a thousand ranks still make a small document.
#include "picture/heatmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "picture/heatmap_grid.hpp"
#include "picture/svg_text.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {

namespace {

constexpr Rank kMostCells = 512;               // per side
constexpr std::size_t kMostBytes = 1'990'000;  // of the document
constexpr std::size_t kLevels = 24;
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

struct Colour {
  double red, green, blue;
};

// Viridis from light to dark: perceptually even, legible in grey and to the colour-blind.
constexpr std::array<Colour, 9> kScale = {{{253, 231, 37},
                                           {173, 220, 48},
                                           {94, 201, 98},
                                           {40, 174, 128},
                                           {33, 145, 140},
                                           {44, 114, 142},
                                           {59, 82, 139},
                                           {71, 45, 123},
                                           {52, 0, 66}}};

std::string colour_at(double position) {
  const double scaled = std::clamp(position, 0.0, 1.0) * (kScale.size() - 1);
  const std::size_t index = std::min(static_cast<std::size_t>(scaled), kScale.size() - 2);
  const double part = scaled - static_cast<double>(index);
  const auto mix = [&](double Colour::*channel) {
    return static_cast<int>(
        std::lround(kScale[index].*channel * (1 - part) + kScale[index + 1].*channel * part));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(&Colour::red), mix(&Colour::green),
                     mix(&Colour::blue));
}

// The end of a long title says more than its beginning: it is usually a path.
std::string shorten(const std::string& title) {
  if (find_invalid_utf8(title) != std::string::npos) return "communication graph";
  if (title.size() <= kLongestTitle) return title;
  std::size_t start = title.size() - kLongestTitle;
  while ((static_cast<unsigned char>(title[start]) & 0xC0) == 0x80) ++start;
  return "..." + title.substr(start);
}

class HeatmapWriter : SvgText {
 public:
  HeatmapWriter(const HeatmapGrid& grid, const std::string& title, bool bytes)
      : grid_(grid),
        title_(escape_xml(shorten(title))),
        bytes_(bytes),
        scale_(grid.least, grid.most),
        cell_(kSide / std::max<Rank>(grid.size, 1)) {}

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
    print("<text x=\"{}\" y=\"48\" fill=\"#555\">{} rank{}, {}{} in total</text>\n", kLeft,
          grid_.ranks, grid_.ranks == 1 ? "" : "s", amount(grid_.total), bytes_ ? "" : " messages");
  }

  std::size_t level(double bytes) const {
    if (bytes <= 0) return kLevels;  // background
    return std::min(kLevels - 1, static_cast<std::size_t>(scale_.position(bytes) * kLevels));
  }

  std::string level_colour(std::size_t level) const {
    return colour_at(static_cast<double>(level) / (kLevels - 1));
  }

  void write_cells() {
    std::array<fmt::memory_buffer, kLevels> paths;
    for (Rank row = 0; row < grid_.size; ++row) add_row(row, paths);
    print("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#f4f4f6\"/>\n", kLeft, kTop,
          kSide, kSide);
    print(
        "<g transform=\"translate({} {}) scale({:.6f})\" fill=\"none\" stroke-width=\"1\" "
        "shape-rendering=\"crispEdges\">\n",
        kLeft, kTop, cell_);
    for (std::size_t i = 0; i < kLevels; ++i) {
      if (paths[i].size() == 0) continue;
      print("<path stroke=\"{}\" d=\"{}\"/>\n", level_colour(i), fmt::to_string(paths[i]));
    }
    write_grid_lines();
    print("</g>\n");
    print("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
          kLeft - 0.5, kTop - 0.5, kSide + 1, kSide + 1);
  }

  // Appends the runs of equal cells of a row to the path of their level. Coordinates are relative
  // to the end of the run before, which makes them short.
  void add_row(Rank row, std::array<fmt::memory_buffer, kLevels>& paths) {
    constexpr Rank none = ~Rank{0};
    std::array<Rank, kLevels> ends;
    ends.fill(none);
    const double* cells = grid_.bytes.data() + std::size_t{row} * grid_.size;
    for (Rank column = 0; column < grid_.size;) {
      const std::size_t here = level(cells[column]);
      Rank end = column + 1;
      while (end < grid_.size && level(cells[end]) == here) ++end;
      if (here < kLevels) {
        const auto at = std::back_inserter(paths[here]);
        if (ends[here] == none) {
          fmt::format_to(at, "M{} {}.5h{}", column, row, end - column);
        } else {
          fmt::format_to(at, "m{} 0h{}", column - ends[here], end - column);
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

  void write_axes() {
    Rank step = 1;
    const Rank most = grid_.ranks < 10000 ? 16 : 8;  // as many as fit side by side
    while (grid_.ranks / step > most) step *= 2;
    for (Rank rank = 0; rank < grid_.ranks; rank += step) {
      const double at = cell_ * (rank + 0.5) / grid_.ranks_per_cell;
      print("<path stroke=\"#888\" d=\"M{:.2f} {}v5M{} {:.2f}h-5\"/>\n", kLeft + at,
            kTop + kSide + 1, kLeft - 1, kTop + at);
      print("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", kLeft + at,
            kTop + kSide + 20, rank);
      print("<text x=\"{}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", kLeft - 9,
            kTop + at + 4.5, rank);
    }
    print("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"15\">receiver rank</text>\n",
          kLeft + kSide / 2, kTop + kSide + 44);
    print(
        "<text transform=\"translate(24 {}) rotate(-90)\" text-anchor=\"middle\" "
        "font-size=\"15\">sender rank</text>\n",
        kTop + kSide / 2);
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
    for (const double tick : scale_.ticks()) {
      const double at = kTop + kSide * (1 - scale_.position(tick));
      print("<path stroke=\"#888\" d=\"M{} {:.2f}h5\"/>\n", left + kLegendWidth + 1, at);
      print("<text x=\"{}\" y=\"{:.2f}\">{}</text>\n", left + kLegendWidth + 10, at + 4.5,
            amount(tick));
    }
    print(
        "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\" "
        "font-size=\"15\">{} sent, log scale</text>\n",
        left + kLegendWidth + 92, kTop + kSide / 2, bytes_ ? "bytes" : "messages");
  }

  void write_notes() {
    std::string note = "no traffic";
    if (grid_.most > 0) {
      note = fmt::format("least {}, most {} in a cell", amount(grid_.least), amount(grid_.most));
    }
    if (grid_.ranks_per_cell > 1) {
      note += fmt::format("; a cell sums {0} x {0} ranks", grid_.ranks_per_cell);
    }
    print("<text x=\"{}\" y=\"{}\" fill=\"#555\">{}</text>\n", kLeft, kTop + kSide + 72, note);
  }

  const HeatmapGrid& grid_;
  std::string title_;  // as it goes into the document
  bool bytes_;         // or messages
  LogScale scale_;
  double cell_;  // side of a cell
};

}  // namespace

std::string heatmap_svg(const Traffic& traffic, const std::string& title) {
  const bool bytes = !counts_messages(traffic);
  Rank ranks_per_cell = std::max<Rank>(1, (traffic.ranks + kMostCells - 1) / kMostCells);
  for (;; ++ranks_per_cell) {
    const HeatmapGrid grid = make_heatmap_grid(traffic, ranks_per_cell);
    std::string svg = HeatmapWriter(grid, title, bytes).write();
    if (svg.size() <= kMostBytes || grid.size <= 1) return svg;
  }
}

}  // namespace tofa::cli
