// SPDX-License-Identifier: BSD-3-Clause
// What an objective says of loads: see smooth_time.hpp.
#include "mapping/search/smooth_time.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/objective.hpp"

namespace tofa {

// Objectives are sums of these as long as nothing fails: so each is asked for alone.
SmoothTime::SmoothTime(const MappingTask& task, double bytes_per_unit) : unit_(bytes_per_unit) {
  Metrics none;
  none.ranks = task.graph.ranks();
  none.bytes = task.graph.total_bytes();
  Metrics busiest = none;
  busiest.max_link_load = bytes_per_unit;
  Metrics squares = none;
  squares.squared_load = bytes_per_unit * bytes_per_unit;
  const auto value = [&task](const Metrics& metrics) {
    return objective_value(task.objective, metrics, task.abort_cost);
  };
  of_norm_ = static_cast<float>((value(busiest) - value(none)) / bytes_per_unit);
  of_squares_ = static_cast<float>((value(squares) - value(none)) / bytes_per_unit);
}

LoadSums sums_of_loads(std::span<const float> loads, std::span<const float> ease) {
  LoadSums sums;
  for (std::size_t link = 0; link < loads.size(); ++link) {
    const double load = loads[link];
    const double bytes = ease.empty() ? load : load * static_cast<double>(ease[link]);
    sums.sum += bytes;
    sums.squares += bytes * load;
    sums.most = std::max(sums.most, load);
  }
  if (sums.most <= 0) return sums;
  double powers = 0;
  for (const float load : loads) {
    double power = static_cast<double>(load) / sums.most;
    for (int i = 0; i < SmoothTime::kSquarings; ++i) power *= power;
    powers += power;
  }
  sums.norm = sums.most * std::pow(powers, 1 / SmoothTime::kPower);
  return sums;
}

}  // namespace tofa
