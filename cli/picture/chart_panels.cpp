// SPDX-License-Identifier: BSD-3-Clause
// Axes have few, round ticks; lines have marks as well as colours, so that they can be told apart
// in grey.
#include "picture/chart_panels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

constexpr double kPanelWidth = 340;
constexpr double kPanelHeight = 250;
constexpr double kChartLeft = 62;
constexpr double kRight = 14;
constexpr double kChartTop = 30;
constexpr double kBottom = 44;
constexpr double kHead = 66;
constexpr std::size_t kColumns = 3;

// Okabe and Ito's, which colour-blind readers tell apart.
constexpr std::array kLineColours{"#000000", "#0072b2", "#d55e00", "#009e73",
                                  "#cc79a7", "#e69f00", "#56b4e9", "#999999"};

struct AxisRange {
  double low;
  double high;
  double at(double value, double from, double to) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

// 1, 2 or 5 times a power of ten, so that there are up to five steps.
double step_of(const AxisRange& range) {
  const double rough = (range.high - range.low) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

// Counted, since steps below the precision of the values would lead nowhere.
std::vector<double> ticks(const AxisRange& range, double step) {
  constexpr int most = 12;
  const double first = std::ceil(range.low / step) * step;
  std::vector<double> values;
  for (int i = 0; i < most && first + i * step <= range.high; ++i) {
    values.push_back(first + i * step);
  }
  return values;
}

std::string tick_text(double value) {
  constexpr double many = 10'000;
  if (std::abs(value) >= many) return fmt::format("{:.4g}k", value / 1000);
  return fmt::format("{:.4g}", value);
}

double x_of(const ChartPanel& panel, double x) {
  return panel.logarithmic_x ? std::log10(std::max(x, 1e-9)) : x;
}

AxisRange widened(AxisRange range) {
  if (range.high > range.low) return range;
  return {range.low - 0.5, range.high + 0.5};
}

class PanelWriter {
 public:
  PanelWriter(const ChartPanel& panel, double left, double top)
      : panel_(panel),
        left_(left + kChartLeft),
        right_(left + kPanelWidth - kRight),
        top_(top + kChartTop),
        bottom_(top + kPanelHeight - kBottom) {
    AxisRange x{1e300, -1e300};
    AxisRange y{panel.from_zero ? 0 : 1e300, panel.from_zero ? 0 : -1e300};
    for (const ChartLine& line : panel.lines) {
      for (const auto& [at, value] : line.points) {
        x = {std::min(x.low, x_of(panel, at)), std::max(x.high, x_of(panel, at))};
        y = {std::min(y.low, value), std::max(y.high, value)};
      }
    }
    x_ = widened(x);
    y_ = widened({y.low, y.high + 0.05 * (y.high - y.low)});
  }

  std::string write() {
    text(left_, top_ - 12, "start", panel_.title, " font-weight=\"bold\"");
    const double step = step_of(y_);
    for (const double value : ticks(y_, step)) {
      const double at = y_.at(value, bottom_, top_);
      line(left_, at, right_, at, "#dddddd");
      text(left_ - 6, at + 4, "end", tick_text(value));
    }
    const double x_step = panel_.logarithmic_x ? std::max(1.0, step_of(x_)) : step_of(x_);
    for (const double value : ticks(x_, x_step)) {
      const double at = x_.at(value, left_, right_);
      line(at, bottom_, at, bottom_ + 4, "#444444");
      text(at, bottom_ + 17, "middle",
           tick_text(panel_.logarithmic_x ? std::pow(10, value) : value));
    }
    line(left_, bottom_, right_, bottom_, "#444444");
    line(left_, top_, left_, bottom_, "#444444");
    text((left_ + right_) / 2, bottom_ + 34, "middle", panel_.x_title);
    for (const ChartLine& drawn : panel_.lines) draw(drawn);
    return std::move(svg_);
  }

 private:
  void draw(const ChartLine& drawn) {
    const char* colour = kLineColours[drawn.colour % kLineColours.size()];
    std::string path;
    for (const auto& [x, y] : drawn.points) {
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ",
                          x_.at(x_of(panel_, x), left_, right_), y_.at(y, bottom_, top_));
    }
    svg_ +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n",
                    path, colour);
    constexpr std::size_t few = 30;
    if (drawn.points.size() > few) return;
    for (const auto& [x, y] : drawn.points) {
      svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n",
                          x_.at(x_of(panel_, x), left_, right_), y_.at(y, bottom_, top_),
                          2 + drawn.colour % 3, colour);
    }
  }
  void line(double x1, double y1, double x2, double y2, const char* colour) {
    svg_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, colour);
  }
  void text(double x, double y, const char* anchor, const std::string& words,
            const char* more = "") {
    svg_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                        anchor, more, escape_xml(words));
  }

  const ChartPanel& panel_;
  double left_, right_, top_, bottom_;
  AxisRange x_{0, 1};
  AxisRange y_{0, 1};
  std::string svg_;
};

}  // namespace

std::string chart_svg(const ChartSheet& sheet) {
  const std::size_t columns = std::min(kColumns, std::max<std::size_t>(1, sheet.panels.size()));
  const std::size_t rows = (sheet.panels.size() + columns - 1) / columns;
  const double width = kPanelWidth * static_cast<double>(columns);
  const double height = kHead + kPanelHeight * static_cast<double>(rows);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"white\"/>\n<text x=\"14\" y=\"24\" font-size=\"15\">{2}</text>\n",
      width, height, escape_xml(sheet.title));
  double at = 14;
  for (std::size_t i = 0; i < sheet.legend.size(); ++i) {
    svg += fmt::format(
        "<rect x=\"{:.0f}\" y=\"38\" width=\"18\" height=\"5\" fill=\"{}\"/>\n"
        "<text x=\"{:.0f}\" y=\"45\">{}</text>\n",
        at, kLineColours[i % kLineColours.size()], at + 24, escape_xml(sheet.legend[i]));
    at += 44 + 6.5 * static_cast<double>(sheet.legend[i].size());
  }
  for (std::size_t i = 0; i < sheet.panels.size(); ++i) {
    const std::size_t row = i / columns;
    svg += PanelWriter(sheet.panels[i], kPanelWidth * static_cast<double>(i % columns),
                       kHead + kPanelHeight * static_cast<double>(row))
               .write();
  }
  return svg + "</svg>\n";
}

}  // namespace tofa::cli
