// SPDX-License-Identifier: BSD-3-Clause
// Binning and scales of heatmaps.
#include "picture/heatmap_grid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "tofa/units.hpp"

namespace tofa::cli {

namespace {

constexpr double kLeastSpan = 4;  // powers of two
constexpr std::size_t kMostTicks = 8;
constexpr double kMostInk = 0.12;      // of a picture of scattered traffic
constexpr std::size_t kMostLone = 64;  // that are made to stand out
constexpr std::size_t kMostHeavy = 16;
constexpr double kHeavyTimes = 8;  // as much as the largest cell behind these, at least

// Powers of two of bytes, 1, 2 or 5 times a power of ten of anything else: the least that makes few
// ticks up to `most`.
double tick_step(double most, bool bytes) {
  constexpr double few = 6;
  if (bytes) return std::exp2(std::max(0.0, std::ceil(std::log2(most / few))));
  const double ten = std::pow(10, std::max(0.0, std::floor(std::log10(most / few))));
  for (const double times : {1, 2, 5})
    if (most / (times * ten) <= few) return times * ten;
  return 10 * ten;
}

// The least amount of a cell that is heavy; 0 when none is.
double least_heavy(const HeatmapGrid& grid) {
  std::vector<double> amounts;
  std::copy_if(grid.values.begin(), grid.values.end(), std::back_inserter(amounts),
               [](double value) { return value > 0; });
  if (amounts.size() <= kMostHeavy) return 0;
  const auto common = amounts.begin() + kMostHeavy;
  std::nth_element(amounts.begin(), common, amounts.end(), std::greater<>());
  return grid.most >= kHeavyTimes * *common ? kHeavyTimes * *common : 0;
}

}  // namespace

Rank fitting_ranks_per_cell(Rank ranks) {
  return std::max<Rank>(1, (ranks + kMostHeatmapCells - 1) / kMostHeatmapCells);
}

HeatmapGrid make_heatmap_grid(const Traffic& traffic, Rank ranks_per_cell, const RankOrder& order) {
  HeatmapGrid grid;
  grid.ranks = traffic.ranks;
  grid.ranks_per_cell = ranks_per_cell;
  grid.size = (traffic.ranks + ranks_per_cell - 1) / ranks_per_cell;
  grid.values.assign(std::size_t{grid.size} * grid.size, 0);
  for (const TrafficEntry& entry : traffic.entries) {
    const std::size_t row = order.position_of(entry.sender) / ranks_per_cell;
    grid.values[row * grid.size + order.position_of(entry.receiver) / ranks_per_cell] +=
        static_cast<double>(entry.value);
    grid.total += static_cast<double>(entry.value);
  }
  for (const double value : grid.values) {
    if (value <= 0) continue;
    grid.least = grid.least > 0 ? std::min(grid.least, value) : value;
    grid.most = std::max(grid.most, value);
  }
  return grid;
}

bool is_alone(const HeatmapGrid& grid, Rank row, Rank column, Rank reach) {
  const auto first = [reach](Rank at) { return at - std::min(at, reach); };
  const auto last = [&grid, reach](Rank at) { return std::min(grid.size - 1, at + reach); };
  for (Rank r = first(row); r <= last(row); ++r) {
    for (Rank c = first(column); c <= last(column); ++c)
      if ((r != row || c != column) && grid.at(r, c) > 0) return false;
  }
  return true;
}

CellMarks cell_marks(const HeatmapGrid& grid) {
  std::size_t used = 0;
  std::size_t apart = 0;
  std::size_t lone = 0;
  for (Rank row = 0; row < grid.size; ++row) {
    for (Rank column = 0; column < grid.size; ++column) {
      if (grid.at(row, column) <= 0) continue;
      ++used;
      if (!is_alone(grid, row, column, 1)) continue;
      ++apart;
      if (is_alone(grid, row, column, kLoneReach)) ++lone;
    }
  }
  CellMarks marks;
  if (2 * apart > used) {
    const double room = kMostInk * static_cast<double>(grid.values.size());
    const double largest = std::sqrt(room / static_cast<double>(used));
    marks.every = largest;
  } else if (lone > 0 && lone <= kMostLone) {
    marks.lone = kLargestMark;
  }
  const double most = std::min(kLargestMark, kLargestMarkShare * grid.size);
  if (const double least = least_heavy(grid); least > 0) {
    marks.heavy = most;
    marks.heavy_from = least;
  }
  for (double* mark : {&marks.every, &marks.lone, &marks.heavy})
    *mark = std::max(1.0, std::floor(10 * std::min(*mark, most)) / 10);
  return marks;
}

bool stands_out(const HeatmapGrid& grid, const CellMarks& marks, Rank row, Rank column) {
  const double amount = grid.at(row, column);
  if (amount <= 0) return false;
  return (marks.heavy > 1 && amount >= marks.heavy_from) ||
         (marks.lone > 1 && is_alone(grid, row, column, kLoneReach));
}

ColourScale::ColourScale(ScaleKind kind, double least, double most)
    : kind_(kind), low_(0), high_(std::max(1.0, most)) {
  if (kind == ScaleKind::linear) return;
  high_ = std::max(1.0, std::log2(high_));
  low_ = std::max(0.0, std::min(std::log2(std::max(1.0, least)), high_ - kLeastSpan));
}

double ColourScale::position(double amount) const {
  if (kind_ == ScaleKind::logarithmic) amount = std::log2(std::max(1.0, amount));
  return std::clamp((amount - low_) / (high_ - low_), 0.0, 1.0);
}

std::vector<double> ColourScale::ticks(bool bytes) const {
  std::vector<double> ticks;
  if (kind_ == ScaleKind::linear) {
    const double step = tick_step(high_, bytes);
    for (double tick = 0; tick <= high_; tick += step) ticks.push_back(tick);
    return ticks;
  }
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
  if (bytes) return human_bytes(amount);
  std::string text = fmt::format("{:.0f}", amount);
  if (text.size() < 5) return text;
  for (std::size_t end = text.size(); end > 3;) text.insert(end -= 3, "\u202f");
  return text;
}

}  // namespace tofa::cli
