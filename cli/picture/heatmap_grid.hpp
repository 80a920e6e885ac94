// SPDX-License-Identifier: BSD-3-Clause
// The numbers behind a heatmap: traffic summed into cells, and where an amount stands on the scale
// of colours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "picture/node_blocks.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa::cli {

// A square of cells, each the traffic of `ranks_per_cell` senders to as many receivers.
struct HeatmapGrid {
  Rank ranks = 0;
  Rank ranks_per_cell = 1;
  Rank size = 0;               // cells per side
  std::vector<double> values;  // row = sender; size * size
  double least = 0;            // of the cells with traffic; 0 when there are none
  double most = 0;
  double total = 0;

  double at(Rank row, Rank column) const { return values[std::size_t{row} * size + column]; }
};

// More cells per side than this would be hard to see, and make large documents.
inline constexpr Rank kMostHeatmapCells = 512;
// As many as leave no more cells than that.
Rank fitting_ranks_per_cell(Rank ranks);

// `order` says where ranks stand on both axes.
HeatmapGrid make_heatmap_grid(const Traffic& traffic, Rank ranks_per_cell,
                              const RankOrder& order = {});

// How large cells are drawn where they are tiny, so that traffic between few ranks is found; in
// cells. Traffic that is scattered gets larger cells everywhere, as many as leave most of the
// picture empty; where it forms lines and blocks, cells stay what they are, but for a few with
// nothing around them. Either way, a few that carry far more than all others are as large as those.
struct CellMarks {
  double every = 1;
  double lone = 1;
  double heavy = 1;
  double heavy_from = 0;  // the least amount of a heavy cell, where `heavy` is above 1
};
inline constexpr double kLargestMark = 5;
// Of the side of the picture, which no mark exceeds.
inline constexpr double kLargestMarkShare = 0.0095;
CellMarks cell_marks(const HeatmapGrid& grid);
// Whether the cells around one, `reach` of them to all sides, are empty.
bool is_alone(const HeatmapGrid& grid, Rank row, Rank column, Rank reach);
// Whether a cell is larger than every cell is.
bool stands_out(const HeatmapGrid& grid, const CellMarks& marks, Rank row, Rank column);
// What is_alone() means for CellMarks::lone: so far apart, such cells do not touch.
inline constexpr Rank kLoneReach = 4;

enum class ScaleKind { logarithmic, linear };

// Maps amounts to [0, 1]: by their logarithm, over four powers of two at least, so that nearly
// equal counts get nearly equal colours; or in proportion, from 0 on.
class ColourScale {
 public:
  ColourScale(ScaleKind kind, double least, double most);
  double position(double amount) const;
  // Round amounts to mark on the scale, ascending; few enough to be legible.
  std::vector<double> ticks(bool bytes) const;
  // At position 0 and 1: amounts, or their powers of two where it is logarithmic.
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  ScaleKind kind_;
  double low_;
  double high_;
};

// "96 B", "1.5 KiB", "64 MiB"; numbers where the graph counts messages, from 10 000 on with narrow
// spaces between thousands.
std::string format_amount(double amount, bool bytes);

}  // namespace tofa::cli
