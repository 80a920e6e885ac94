// SPDX-License-Identifier: BSD-3-Clause
// The numbers behind a heatmap: traffic summed into cells, and cells sorted into colour levels on a
// log scale.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa::cli {

// A square of cells, each the traffic of `ranks_per_cell` senders to as many receivers.
struct HeatmapGrid {
  Rank ranks = 0;
  Rank ranks_per_cell = 1;
  Rank size = 0;              // cells per side
  std::vector<double> bytes;  // row = sender; size * size
  double least = 0;           // of the cells with traffic; 0 when there are none
  double most = 0;
  double total = 0;
};

HeatmapGrid make_heatmap_grid(const Traffic& traffic, Rank ranks_per_cell);

// Maps bytes to [0, 1] by their logarithm. Spans at least four powers of two, so that nearly equal
// counts get nearly equal colours.
class LogScale {
 public:
  LogScale(double least, double most);
  double position(double bytes) const;
  // Round byte counts to mark on the scale, ascending; few enough to be legible.
  std::vector<double> ticks() const;

 private:
  double low_;   // log2 of the bytes at position 0
  double high_;  // and at 1
};

// "96 B", "1.5 KiB", "64 MiB"; plain numbers where the graph counts messages.
std::string format_amount(double amount, bool bytes);

}  // namespace tofa::cli
