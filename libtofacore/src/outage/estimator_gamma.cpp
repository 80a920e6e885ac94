// SPDX-License-Identifier: BSD-3-Clause
// `gamma`: the evidence of one host, for tofa/outage_rate.hpp. Time that it was up is added by the
// hour, so that neither the sums nor what is saved change with every heartbeat.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "outage/estimator_methods.hpp"
#include "outage/hazard.hpp"

namespace tofa {
namespace {

constexpr double kWatchedAtOnce = 3600;  // seconds

// What the rate of a host follows from.
void explain_rate(const OutageForecast& forecast, ExplainedEstimate& explanation) {
  auto& numbers = explanation.numbers;
  const bool mixed = forecast.kinds.size() > 1;
  std::string sum;
  for (std::size_t i = 0; i < forecast.kinds.size(); ++i) {
    const OutageForecast::Kind& kind = forecast.kinds[i];
    const std::string number = mixed ? fmt::format("_{}", i + 1) : "";
    if (mixed) {
      numbers.push_back({"share" + number, kind.share,
                         fmt::format("how likely it is one of kind {} of such hosts", i + 1)});
    }
    numbers.push_back({"prior_outages" + number, kind.prior_outages,
                       "outages that what is known of such hosts is worth"});
    numbers.push_back({"prior_days" + number, kind.prior_days, "in so many days"});
    sum += fmt::format("{}{}(prior_outages{} + outages) / (prior_days{} + days_up)",
                       i > 0 ? " + " : "", mixed ? fmt::format("share{} x ", number) : "", number,
                       number);
  }
  numbers.push_back({"outages", forecast.outages, "its own, old ones count less"});
  numbers.push_back({"days_up", forecast.own_days,
                     "that it was up, old ones count less, and those after an outage more"});
  numbers.push_back({"rate", forecast.average_rate, "outages per day: " + sum});
  numbers.push_back(
      {"rate_low", forecast.rate_low, "with probability 0.9 the rate is between this"});
  numbers.push_back({"rate_high", forecast.rate_high, "and this"});
}

ExplainedEstimate explain_forecast(const OutageForecast& forecast, const ExplainedCase& asked) {
  ExplainedEstimate explanation{
      forecast.probability, "p = 1 - exp(-rate x hazard x days x doubt)", {}};
  auto& numbers = explanation.numbers;
  numbers.push_back(
      {"fleet_rate", forecast.prior_rate,
       fmt::format(
           "outages per day of an average host, from {} hosts{}", forecast.prior_hosts,
           forecast.of_class ? fmt::format(" of class {}", asked.host_class) : std::string())});
  explain_rate(forecast, explanation);
  numbers.push_back({"days_since", forecast.age_days,
                     forecast.has_failed ? "since its last outage"
                                         : "no outage is known; it is taken to be up for so long"});
  numbers.push_back({"hazard", forecast.hazard,
                     "what that makes of the rate within the time asked about, 1 on average"});
  numbers.push_back({"days", asked.horizon_seconds / kSecondsPerDay, "that are asked about"});
  numbers.push_back({"doubt", forecast.doubt, "because the rate is not known exactly"});
  numbers.push_back({"p", forecast.probability, "that it fails within these days"});
  numbers.push_back({"p_low", forecast.low, "with probability 0.9 it is between this"});
  numbers.push_back({"p_high", forecast.high, "and this"});
  return explanation;
}

class GammaEstimator final : public Estimator {
 public:
  explicit GammaEstimator(double half_life_days)
      : half_life_days_(half_life_days), evidence_(half_life_days), saved_(evidence_.save()) {}

  void record(bool) override {}
  double probability() const override { return 0; }

  void watch(double from, double to) override {
    if (up_seconds_ == 0) from_ = from;
    up_seconds_ += to - from;
    to_ = to;
    if (to_ - from_ >= kWatchedAtOnce) add_watched();
  }
  void fail(double start) override {
    add_watched();
    evidence_.fail(start);
    saved_ = evidence_.save();
  }
  void recover(double end) override {
    if (!evidence_.out()) return;
    evidence_.recover(end);
    saved_ = evidence_.save();
  }
  void add_past(double start, double end, const HeartbeatTimes&) override {
    add_watched();
    evidence_.add_past(start, end);
    saved_ = evidence_.save();
  }
  void learn(std::span<const WatchedDay> days) override {
    evidence_ = evidence_of_days(days, {}, half_life_days_);
    saved_ = evidence_.save();
  }
  void set_clock(double seconds) override {
    from_ += seconds;
    to_ += seconds;
    evidence_.set_clock(seconds);
    saved_ = evidence_.save();
  }
  void mend(double now, std::span<const WatchedDay> days) override {
    const double ahead = evidence_.as_of() - now;
    evidence_.leave_future(now);
    // What a shorter time has made forgotten is less than what the rounding of days costs.
    if (ahead > kSecondsPerDay) {
      std::vector<WatchedDay> past;
      std::copy_if(days.begin(), days.end(), std::back_inserter(past),
                   [now](const WatchedDay& day) { return day.start <= now; });
      HostEvidence counted = evidence_of_days(past, {}, half_life_days_);
      counted.leave_future(now);
      if (counted.up_days() > evidence_.up_days()) evidence_ = counted;
    }
    saved_ = evidence_.save();
  }
  void add_earlier(const HostEvidence& earlier) override {
    add_watched();
    evidence_.add_earlier(earlier);
    saved_ = evidence_.save();
  }
  const HostEvidence* evidence() const override { return &evidence_; }

  ExplainedEstimate explain(const ExplainedCase& asked) const override {
    return explain_forecast(
        asked.fleet.forecast(evidence_, asked.host_class, asked.now, asked.horizon_seconds), asked);
  }

  std::string save() const override { return saved_; }
  std::string save_all() const override {
    if (up_seconds_ <= 0) return saved_;
    HostEvidence all = evidence_;
    all.watch(from_, to_, up_seconds_);
    return all.save();
  }
  void restore(std::string_view state) override {
    evidence_.restore(state);
    saved_ = evidence_.save();
  }

 private:
  void add_watched() {
    if (up_seconds_ <= 0) return;
    evidence_.watch(from_, to_, up_seconds_);
    up_seconds_ = 0;
    saved_ = evidence_.save();
  }

  double half_life_days_;
  HostEvidence evidence_;
  std::string saved_;
  // Not yet in the evidence.
  double from_ = 0;
  double to_ = 0;
  double up_seconds_ = 0;
};

std::unique_ptr<Estimator> make_gamma_estimator(const EstimatorOptions& options) {
  return std::make_unique<GammaEstimator>(options.half_life_days);
}

}  // namespace

extern constexpr EstimatorMethod kGammaMethod{"gamma", make_gamma_estimator};

}  // namespace tofa
