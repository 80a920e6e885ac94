// SPDX-License-Identifier: BSD-3-Clause
// Panels of lines, several beside each other and with one legend, as SVG.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tofa::cli {

struct ChartLine {
  std::size_t colour;  // an index into the legend
  std::vector<std::pair<double, double>> points;
};

struct ChartPanel {
  std::string title;
  std::string x_title;
  std::vector<ChartLine> lines;
  bool logarithmic_x = false;
  bool from_zero = true;  // the y axis
};

struct ChartSheet {
  std::string title;
  std::vector<std::string> legend;  // eight at most are told apart
  std::vector<ChartPanel> panels;   // none without lines, none of them without points
};

std::string chart_svg(const ChartSheet& sheet);

}  // namespace tofa::cli
