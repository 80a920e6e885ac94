// SPDX-License-Identifier: BSD-3-Clause
// What is written along the axes of a heatmap: ranks, or, where they are sorted by node, nodes.
#pragma once

#include <string>
#include <vector>

#include "picture/node_blocks.hpp"

namespace tofa::cli {

struct AxisLabel {
  double at;  // in ranks from the beginning of the axis
  std::string text;
};

// As many as fit beside each other on an axis of so many characters.
std::vector<AxisLabel> axis_labels(Rank ranks, const RankOrder& order, std::size_t characters);

}  // namespace tofa::cli
