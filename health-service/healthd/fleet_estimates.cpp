// SPDX-License-Identifier: BSD-3-Clause
// What the hosts of the fleet have shown, as hazards: rates are fitted to all of them now and then,
// and each host is judged by them and by what it showed itself.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "healthd/fleet.hpp"

namespace tofa::health {
namespace {

constexpr double kDayHours = 24;
constexpr double kEstimateAge = 60;         // seconds that hazards are good for
constexpr double kFitPerHost = 0.06;        // seconds more from one fit to the next: it is work
constexpr std::size_t kMostFitted = 5'000;  // hosts, of a larger fleet every second or third ...
constexpr std::size_t kLeastOfClass = 500;  // hosts that a class is learned from, if it has as many

// To four digits, for the snapshot's sake.
double round_hazard(double hazard) {
  constexpr double most = 1e9;
  if (!(hazard > 1e-300)) return 0;
  if (hazard >= most) return most;
  // A division by a power of ten is what the shortest digits are the digits of.
  const double units = std::pow(10, 3 - std::floor(std::log10(hazard)));
  return std::round(hazard * units) / units;
}

// What every so-manieth is taken of, so that there are `most` at most.
std::size_t one_in(std::size_t size, std::size_t most) {
  return (size + most - 1) / most;
}

}  // namespace

double Fleet::rate(std::size_t index, double now) const {
  const Host& host = hosts_[index];
  return host.within ? round_hazard((*host.within)[1] / kDayHours) : host.exposure.rate(now);
}

void Fleet::fit(double time) {
  fitted_ = time;
  const std::size_t step = one_in(hosts_.size(), kMostFitted);
  std::vector<FleetHost> sample;
  for (std::size_t i = 0; i < hosts_.size(); i += step) {
    if (const HostEvidence* evidence = hosts_[i].estimator->evidence())
      sample.push_back({hosts_[i].host_class, evidence});
  }
  rates_ = FleetRates(sample, members_of_classes(), time);
}

// All of small classes, which few or none of the fleet's sample may be of.
std::vector<FleetHost> Fleet::members_of_classes() const {
  struct Members {
    std::size_t size = 0;
    std::size_t passed = 0;
  };
  std::unordered_map<std::string_view, Members> classes;
  for (const Host& host : hosts_)
    if (!host.host_class.empty()) ++classes[host.host_class].size;
  std::vector<FleetHost> members;
  if (classes.empty()) return members;
  const std::size_t most = std::max(kLeastOfClass, kMostFitted / classes.size());
  for (const Host& host : hosts_) {
    const HostEvidence* evidence = host.estimator->evidence();
    if (host.host_class.empty() || evidence == nullptr) continue;
    Members& own = classes[host.host_class];
    if (own.passed++ % one_in(own.size, most) == 0) members.push_back({host.host_class, evidence});
  }
  return members;
}

void Fleet::estimate(double time) {
  if (hosts_.empty() || hosts_.front().estimator->evidence() == nullptr) return;
  const double refit = kEstimateAge + kFitPerHost * static_cast<double>(hosts_.size());
  if (fitted_ == 0 || std::abs(time - fitted_) >= refit) fit(time);
  for (Host& host : hosts_) {
    if (host.within && std::abs(time - host.estimated) < kEstimateAge) continue;
    HazardsWithin hazards{};
    for (std::size_t i = 0; i < hazards.size(); ++i) {
      hazards[i] = round_hazard(rates_.hazard_within(*host.estimator->evidence(), host.host_class,
                                                     time, kHazardHorizons[i]));
    }
    host.within = hazards;
    host.estimated = time;
  }
}

std::optional<Fleet::Outlook> Fleet::outlook(std::size_t index, double time, double horizon,
                                             double least) const {
  const Host& host = hosts_[index];
  const HostEvidence* evidence = host.estimator->evidence();
  if (evidence == nullptr) return std::nullopt;
  const double probability = rates_.probability(*evidence, host.host_class, time, horizon);
  if (probability <= least) return Outlook{probability, 0};
  const OutageForecast forecast = rates_.forecast(*evidence, host.host_class, time, horizon);
  return Outlook{probability, forecast.low};
}

}  // namespace tofa::health
