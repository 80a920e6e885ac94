// SPDX-License-Identifier: BSD-3-Clause
// Fleets whose hosts fail at known rates, and the truth about them as an estimator that no other
// can beat but by luck. Tests and bench/ use them.
//
// A host fails, from its last outage on, with the hazard of a Weibull distribution whose mean is
// the host's time between failures: shape 1 is a Poisson process, less a hazard that falls. Its
// clock has run for a while when the log begins, so that hosts are neither all new nor all just
// repaired.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tofa/backtest.hpp"

namespace tofa::test {

inline constexpr double kDaySeconds = 86'400;

struct FleetPlan {
  std::string name;
  std::size_t hosts = 200;
  double days = 150;
  double hazard_shape = 1;
  // Days between the failures of one host.
  std::function<double(std::mt19937_64&, std::size_t host)> mtbf;
  std::function<std::string(std::size_t host)> host_class;  // may be empty
  // At this share of the days, hosts draw anew how often they fail; 0: never.
  double change = 0;
  double pause_days = 0;  // in the middle, three times
  double mean_outage_days = 0.1;
};

inline double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11U) + 0.5) / 9007199254740992.0;
}

inline auto equal_hosts(double days) {
  return [days](std::mt19937_64&, std::size_t) { return days; };
}
// Every 1 / share host is bad.
inline auto few_bad_hosts(double good_days, double bad_days, double share) {
  return [=](std::mt19937_64& random, std::size_t) {
    return uniform(random) < share ? bad_days : good_days;
  };
}
inline auto gamma_rates(double median_days, double shape) {
  return [=](std::mt19937_64& random, std::size_t) {
    std::gamma_distribution<double> draw(shape, 1);
    // The median of Gamma(shape, 1), by the approximation of Berg and Pedersen for shapes near 1.
    const double median = shape * std::pow(1 - 1 / (9 * shape), 3);
    return median_days * median / std::max(1e-9, draw(random));
  };
}
inline auto lognormal_mtbf(double median_days, double deviation) {
  return [=](std::mt19937_64& random, std::size_t) {
    std::normal_distribution<double> draw(0, deviation);
    return median_days * std::exp(draw(random));
  };
}

class SimulatedFleet {
 public:
  SimulatedFleet(const FleetPlan& plan, std::uint64_t seed) : plan_(plan) {
    std::mt19937_64 random(seed);
    const double begin = kStart - kWarmUp;
    const double end = kStart + plan.days * kDaySeconds;
    change_ = plan.change > 0 ? kStart + plan.change * plan.days * kDaySeconds : HUGE_VAL;
    log_.span = {kStart, end};
    for (std::size_t host = 0; host < plan.hosts; ++host) {
      log_.hosts.push_back("n" + std::to_string(host));
      log_.classes.push_back(plan.host_class ? plan.host_class(host) : "");
      scales_.push_back({scale(plan.mtbf(random, host)), scale(plan.mtbf(random, host))});
      ages_.push_back(begin);
      double time = begin;
      for (;;) {
        const double start = next_failure(random, scales_.back(), time);
        if (start >= end) break;
        time = start - plan.mean_outage_days * kDaySeconds * std::log(uniform(random)) + 60;
        if (time < kStart) ages_.back() = time;
        if (time < kStart) continue;
        log_.outages.push_back({static_cast<std::uint32_t>(host), start, time, "heartbeat"});
      }
    }
    std::sort(log_.outages.begin(), log_.outages.end(),
              [](const LoggedOutage& a, const LoggedOutage& b) { return a.start < b.start; });
    for (double at = 0.3; plan.pause_days > 0 && at < 0.8; at += 0.2) {
      const double from = kStart + at * plan.days * kDaySeconds;
      log_.pauses.push_back({from, from + plan.pause_days * kDaySeconds});
    }
  }

  const OutageLog& log() const { return log_; }

  // That a host fails within the horizon, given what it is and since when it is up.
  double truth(std::size_t host, double up_since, double now, double horizon) const {
    const auto& scales = scales_[host];
    const double middle = std::clamp(change_, now, now + horizon);
    return -std::expm1(
        -(hazard(middle - up_since, scales.first) - hazard(now - up_since, scales.first)) -
        (hazard(now + horizon - up_since, scales.second) -
         hazard(middle - up_since, scales.second)));
  }
  // Before the log, when each host came back last.
  const std::vector<double>& up_since() const { return ages_; }

 private:
  static constexpr double kStart = 1.7e9;
  static constexpr double kWarmUp = 1000 * kDaySeconds;

  double scale(double mtbf_days) const {
    return mtbf_days * kDaySeconds / std::tgamma(1 + 1 / plan_.hazard_shape);
  }
  // Cumulative, at an age.
  double hazard(double age, double scale) const {
    return std::pow(std::max(0.0, age) / scale, plan_.hazard_shape);
  }
  double next_failure(std::mt19937_64& random, const std::pair<double, double>& scales,
                      double since) const {
    const double drawn = -std::log(uniform(random));
    const double first = since + scales.first * std::pow(drawn, 1 / plan_.hazard_shape);
    if (first < change_) return first;
    const double at_change = hazard(change_ - since, scales.first);
    const double left = drawn - at_change + hazard(change_ - since, scales.second);
    return since + scales.second * std::pow(left, 1 / plan_.hazard_shape);
  }

  FleetPlan plan_;
  OutageLog log_;
  double change_ = HUGE_VAL;
  std::vector<std::pair<double, double>> scales_;  // before the change, and after it
  std::vector<double> ages_;
};

// Knows all but the future.
class TruthBacktest final : public BacktestEstimator {
 public:
  explicit TruthBacktest(const SimulatedFleet& fleet) : fleet_(fleet), up_since_(fleet.up_since()) {
    for (const LoggedOutage& outage : fleet.log().outages)
      ends_.push_back({outage.end, outage.host});
    std::sort(ends_.begin(), ends_.end());
  }
  std::string name() const override { return "truth"; }
  void begin(const OutageLog&) override {}
  void watched(std::size_t, double, double) override {}
  void failed(std::size_t, double) override {}
  void recovered(std::size_t, double) override {}
  void look(double now) override {
    now_ = now;
    for (; next_ < ends_.size() && ends_[next_].first <= now; ++next_) {
      up_since_[ends_[next_].second] = ends_[next_].first;
    }
  }
  double within(std::size_t host, double horizon) override {
    return fleet_.truth(host, up_since_[host], now_, horizon);
  }

 private:
  const SimulatedFleet& fleet_;
  std::vector<double> up_since_;
  std::vector<std::pair<double, std::uint32_t>> ends_;
  std::size_t next_ = 0;
  double now_ = 0;
};

// The fleets that estimators are tried on.
inline std::vector<FleetPlan> fleet_plans(std::size_t hosts, double days) {
  const auto plan = [&](std::string name, double shape, auto mtbf) {
    FleetPlan made;
    made.name = std::move(name);
    made.hosts = hosts;
    made.days = days;
    made.hazard_shape = shape;
    made.mtbf = mtbf;
    return made;
  };
  std::vector<FleetPlan> plans{
      plan("homogeneous", 1, equal_hosts(60)),
      plan("homogeneous, hazard falls", 0.7, equal_hosts(60)),
      plan("few bad", 1, few_bad_hosts(300, 5, 0.05)),
      plan("few bad, hazard falls", 0.7, few_bad_hosts(300, 5, 0.05)),
      plan("gamma rates", 1, gamma_rates(60, 0.7)),
      plan("lognormal", 1, lognormal_mtbf(60, 1.2)),
      plan("lognormal, hazard falls", 0.75, lognormal_mtbf(60, 1.2)),
      plan("lognormal, pauses", 1, lognormal_mtbf(60, 1.2)),
      plan("rates change", 1, lognormal_mtbf(60, 1.2)),
      plan("two classes", 1,
           [](std::mt19937_64&, std::size_t host) { return host % 4 == 0 ? 10.0 : 200.0; }),
  };
  plans[7].pause_days = 3;
  plans[8].change = 0.5;
  plans[9].host_class = [](std::size_t host) { return host % 4 == 0 ? "gpu" : "cpu"; };
  return plans;
}

}  // namespace tofa::test
