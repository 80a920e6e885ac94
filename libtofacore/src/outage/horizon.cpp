// SPDX-License-Identifier: BSD-3-Clause
// How likely a host fails while a job runs: see outage.hpp.
#include <algorithm>
#include <cmath>

#include "tofa/outage.hpp"

namespace tofa {
namespace {

constexpr double kHour = 3600;

// Between two horizons, and beyond them, a power of the time: a hazard that falls gives less than
// twice as much in twice the time.
double hazard_within(const HazardsWithin& hazards, double seconds) {
  if (hazards.front() <= 0) return hazards.back() * seconds / kHazardHorizons.back();
  std::size_t i = 1;
  while (i + 1 < hazards.size() && seconds > kHazardHorizons[i]) ++i;
  const double from = hazards[i - 1];
  const double ratio = seconds / kHazardHorizons[i - 1];
  const double power =
      std::log(hazards[i] / from) / std::log(kHazardHorizons[i] / kHazardHorizons[i - 1]);
  return from * std::pow(ratio, power);
}

}  // namespace

double probability_within(const HostOutage& outage, double horizon_seconds) {
  if (outage.within && horizon_seconds > 0 && outage.probability < 1) {
    return -std::expm1(-hazard_within(*outage.within, horizon_seconds));
  }
  if (outage.rate <= 0 || horizon_seconds <= 0) return outage.probability;
  // 1 - (1 - p) exp(-x) without losing what is tiny.
  const double fails = -std::expm1(-outage.rate * horizon_seconds / kHour);
  const double within = std::min(1.0, outage.probability + (1 - outage.probability) * fails);
  return outage.probability == 0 && within < kHorizonFloor ? 0 : within;
}

OutageList over_horizon(OutageList outages, double horizon_seconds) {
  if (horizon_seconds <= 0) return outages;
  for (HostOutage& outage : outages) {
    const double within = probability_within(outage, horizon_seconds);
    outage.probability = outage.within && within < kHorizonFloor ? 0 : within;
    outage.rate = -1;
    outage.within.reset();
  }
  return outages;
}

OutageList over_assumed_horizon(OutageList outages) {
  for (HostOutage& outage : outages) {
    if (outage.within) outage = std::move(over_horizon({std::move(outage)}, kHour).front());
  }
  return outages;
}

double round_horizon(double seconds) {
  constexpr double share = 8;
  double step = 1;
  for (const double longer : {5.0, 15.0, 60.0, 300.0, 900.0, kHour, 4 * kHour, 24 * kHour})
    if (longer <= seconds / share) step = longer;
  return step * std::ceil(seconds / step);
}

}  // namespace tofa
