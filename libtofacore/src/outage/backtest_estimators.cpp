// SPDX-License-Identifier: BSD-3-Clause
// What `tofa health backtest` compares: the estimate of tofa/outage_rate.hpp, what it must beat,
// and the methods of tofa/estimator.hpp.
#include <algorithm>
#include <cmath>
#include <deque>

#include "tofa/backtest.hpp"
#include "tofa/estimator.hpp"

namespace tofa {
namespace {

constexpr double kOneDay = 86'400;

class GammaBacktest final : public BacktestEstimator {
 public:
  explicit GammaBacktest(double half_life_days) : half_life_days_(half_life_days) {}
  std::string name() const override { return "gamma"; }
  void begin(const OutageLog& log) override {
    log_ = &log;
    evidence_.assign(log.hosts.size(), HostEvidence(half_life_days_));
  }
  void watched(std::size_t host, double from, double to) override {
    evidence_[host].watch(from, to);
  }
  void failed(std::size_t host, double start) override { evidence_[host].fail(start); }
  void recovered(std::size_t host, double end) override { evidence_[host].recover(end); }
  void look(double now) override {
    now_ = now;
    std::vector<FleetHost> hosts;
    for (std::size_t i = 0; i < evidence_.size(); ++i) {
      hosts.push_back({log_->classes[i], &evidence_[i]});
    }
    rates_ = FleetRates(hosts, now);
  }
  double within(std::size_t host, double horizon) override {
    return rates_.probability(evidence_[host], log_->classes[host], now_, horizon);
  }

 private:
  double half_life_days_;
  const OutageLog* log_ = nullptr;
  double now_ = 0;
  std::vector<HostEvidence> evidence_;
  FleetRates rates_;
};

// One rate for all nodes: the outages of all over the time of all.
class ConstantBacktest final : public BacktestEstimator {
 public:
  std::string name() const override { return "constant"; }
  void begin(const OutageLog& log) override { (void)log; }
  void watched(std::size_t, double from, double to) override { seconds_ += to - from; }
  void failed(std::size_t, double) override { ++outages_; }
  void recovered(std::size_t, double) override {}
  void look(double) override {}
  double within(std::size_t, double horizon) override {
    return -std::expm1(-outages_ / std::max(seconds_, kOneDay) * horizon);
  }

 private:
  double seconds_ = 0;
  double outages_ = 0;
};

// A node's own outages over its own time, k / T of the last 30 days.
class OwnRateBacktest final : public BacktestEstimator {
 public:
  std::string name() const override { return "rate"; }
  void begin(const OutageLog& log) override { hosts_.resize(log.hosts.size()); }
  void watched(std::size_t host, double from, double to) override {
    hosts_[host].up.push_back({from, to});
  }
  void failed(std::size_t host, double start) override { hosts_[host].outages.push_back(start); }
  void recovered(std::size_t, double) override {}
  void look(double now) override {
    for (Host& host : hosts_) {
      while (!host.up.empty() && host.up.front().to <= now - kWindow) host.up.pop_front();
      while (!host.outages.empty() && host.outages.front() <= now - kWindow) {
        host.outages.pop_front();
      }
      double seconds = 0;
      for (const TimeSpan& up : host.up) seconds += up.to - std::max(up.from, now - kWindow);
      host.rate = static_cast<double>(host.outages.size()) / std::max(seconds, kOneDay);
    }
  }
  double within(std::size_t host, double horizon) override {
    return -std::expm1(-hosts_[host].rate * horizon);
  }

 private:
  static constexpr double kWindow = 30 * kOneDay;
  struct Host {
    std::deque<TimeSpan> up;
    std::deque<double> outages;
    double rate = 0;
  };
  std::vector<Host> hosts_;
};

// A method of tofa/estimator.hpp, told one heartbeat per hour. It knows no horizon: what it says
// holds for each.
class HeartbeatBacktest final : public BacktestEstimator {
 public:
  explicit HeartbeatBacktest(const char* method) { options_.method = method; }
  std::string name() const override { return options_.method; }
  void begin(const OutageLog& log) override {
    for (std::size_t i = 0; i < log.hosts.size(); ++i) {
      hosts_.push_back({make_estimator(options_), 0, log.span.from});
    }
  }
  void watched(std::size_t host, double from, double to) override {
    record(hosts_[host], from, to, true);
  }
  void failed(std::size_t host, double start) override { hosts_[host].since = start; }
  void recovered(std::size_t host, double end) override {
    record(hosts_[host], hosts_[host].since, end, false);
  }
  void look(double) override {}
  double within(std::size_t host, double) override { return hosts_[host].estimator->probability(); }

 private:
  struct Host {
    std::unique_ptr<Estimator> estimator;
    double since = 0;  // the present outage
    double next = 0;   // heartbeat
  };
  static void record(Host& host, double from, double to, bool answered) {
    constexpr double hour = 3600;
    if (host.next < from) host.next = hour * std::ceil(from / hour);
    for (; host.next < to; host.next += hour) host.estimator->record(answered);
  }

  EstimatorOptions options_;
  std::vector<Host> hosts_;
};

}  // namespace

std::vector<std::unique_ptr<BacktestEstimator>> backtest_estimators(const EstimatorChoice& choice) {
  std::vector<std::unique_ptr<BacktestEstimator>> estimators;
  estimators.push_back(std::make_unique<GammaBacktest>(choice.half_life_days));
  estimators.push_back(std::make_unique<ConstantBacktest>());
  estimators.push_back(std::make_unique<OwnRateBacktest>());
  estimators.push_back(std::make_unique<HeartbeatBacktest>("moving-average"));
  estimators.push_back(std::make_unique<HeartbeatBacktest>("ewma"));
  return estimators;
}

}  // namespace tofa
