// SPDX-License-Identifier: BSD-3-Clause
// Binning and the logarithmic scale of heatmaps.
#include "picture/heatmap_grid.hpp"

#include <fmt/core.h>

#include <algorithm>

#include <cmath>

#include "tofa/units.hpp"

namespace tofa::cli {

namespace {

constexpr double kLeastSpan = 4;  // powers of two
constexpr std::size_t kMostTicks = 8;

}  // namespace

HeatmapGrid make_heatmap_grid(const Traffic& traffic, Rank ranks_per_cell) {
  HeatmapGrid grid;
  grid.ranks = traffic.ranks;
  grid.ranks_per_cell = ranks_per_cell;
  grid.size = (traffic.ranks + ranks_per_cell - 1) / ranks_per_cell;
  grid.bytes.assign(std::size_t{grid.size} * grid.size, 0);
  for (const TrafficEntry& entry : traffic.entries) {
    const std::size_t row = entry.sender / ranks_per_cell;
    grid.bytes[row * grid.size + entry.receiver / ranks_per_cell] +=
        static_cast<double>(entry.value);
    grid.total += static_cast<double>(entry.value);
  }
  for (const double bytes : grid.bytes) {
    if (bytes <= 0) continue;
    grid.least = grid.least > 0 ? std::min(grid.least, bytes) : bytes;
    grid.most = std::max(grid.most, bytes);
  }
  return grid;
}

LogScale::LogScale(double least, double most)
    : high_(std::max(1.0, std::log2(std::max(1.0, most)))) {
  low_ = std::max(0.0, std::min(std::log2(std::max(1.0, least)), high_ - kLeastSpan));
}

double LogScale::position(double bytes) const {
  return std::clamp((std::log2(std::max(1.0, bytes)) - low_) / (high_ - low_), 0.0, 1.0);
}

std::vector<double> LogScale::ticks() const {
  std::vector<double> ticks;
  for (const int step : {1, 2, 5, 10, 20}) {
    ticks.clear();
    const int last = static_cast<int>(std::floor(high_ / step));
    for (int i = static_cast<int>(std::ceil(low_ / step)); i <= last; ++i) {
      ticks.push_back(std::exp2(i * step));
    }
    if (ticks.size() <= kMostTicks) break;
  }
  return ticks;
}

std::string format_amount(double amount, bool bytes) {
  return bytes ? human_bytes(amount) : fmt::format("{:.0f}", amount);
}

}  // namespace tofa::cli
