// SPDX-License-Identifier: BSD-3-Clause
// `gamma`: the evidence of one host, for tofa/outage_rate.hpp. Time that it was up is added by the
// hour, so that neither the sums nor what is saved change with every heartbeat.
#include "outage/estimator_methods.hpp"

namespace tofa {
namespace {

constexpr double kWatchedAtOnce = 3600;  // seconds

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
  const HostEvidence* evidence() const override { return &evidence_; }

  std::string save() const override { return saved_; }
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
