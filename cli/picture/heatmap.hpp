// SPDX-License-Identifier: BSD-3-Clause
// A picture of who talks to whom: a square of senders against receivers, in stronger colour where
// more went.
#pragma once

#include <string>

#include "picture/heatmap_grid.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa::cli {

struct HeatmapStyle {
  ScaleKind scale = ScaleKind::logarithmic;
  // Where it has blocks, they are outlined, and the share of the traffic between nodes is told.
  RankOrder order = {};
};

// A self-contained SVG document of less than 2 MB. Above kMostHeatmapCells ranks, or where the
// document would grow larger, a cell of the picture sums several ranks, which a note under it says.
// Entries must be sorted, as Traffic promises.
std::string heatmap_svg(const Traffic& traffic, const std::string& title,
                        const HeatmapStyle& style = {});

}  // namespace tofa::cli
