// SPDX-License-Identifier: BSD-3-Clause
// The hazard of tofa/outage_rate.hpp: g(s) = k (s / 30)^(k - 1), s in days, k the shape.
#pragma once

#include <cmath>

namespace tofa {

inline constexpr double kHazardUnitDays = 30;
inline constexpr double kSecondsPerDay = 86'400;

inline double hazard(double shape, double age_days) {
  return shape * std::pow(age_days / kHazardUnitDays, shape - 1);
}

// The integral of g between two ages, in days.
inline double cumulative_hazard(double shape, double from_days, double to_days) {
  if (shape == 1) return to_days - from_days;
  return kHazardUnitDays * (std::pow(to_days / kHazardUnitDays, shape) -
                            std::pow(from_days / kHazardUnitDays, shape));
}

}  // namespace tofa
