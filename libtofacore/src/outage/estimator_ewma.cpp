// SPDX-License-Identifier: BSD-3-Clause
// `ewma`: the exponentially weighted moving average of misses. Each heartbeat weighs half of what
// one `half_life` heartbeats later does, so an outage fades smoothly and the state is a single
// number.
#include <fmt/format.h>

#include <cmath>

#include "outage/estimator_methods.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

// Below this an estimate is rounded to 0: nobody acts on it, and a healthy node's state stops
// changing.
constexpr double kNegligible = 1e-12;

class EwmaEstimator final : public Estimator {
 public:
  explicit EwmaEstimator(double half_life)
      : half_life_(half_life), weight_(-std::expm1(-std::log(2.0) / half_life)) {}

  void record(bool answered) override {
    average_ += weight_ * ((answered ? 0.0 : 1.0) - average_);
    if (average_ < kNegligible) average_ = 0;
    if (average_ > 1) average_ = 1;
  }

  double probability() const override { return average_; }

  // The heartbeat of age k weighs weight_ (1 - weight_)^k; this is the sum of a geometric series.
  void add_past(double start, double end, const HeartbeatTimes& times) override {
    const auto ages = ages_of(start, end, times);
    if (!ages) return;
    const double step = std::log1p(-weight_);
    average_ += std::exp(step * static_cast<double>(ages->youngest)) -
                std::exp(step * (static_cast<double>(ages->oldest) + 1));
    if (average_ < kNegligible) average_ = 0;
    if (average_ > 1) average_ = 1;
  }

  ExplainedEstimate explain(const ExplainedCase& /*asked*/) const override {
    return {average_,
            "now = missed",
            {{"missed", average_,
              fmt::format("share of the heartbeats that were missed, each of which counts half "
                          "of what one {} later does",
                          half_life_)}}};
  }

  std::string save() const override { return fmt::format("{}", average_); }

  void restore(std::string_view state) override {
    const auto value = parse_number<double>(state);
    if (!value || !(*value >= 0 && *value <= 1)) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("\"{}\" is no saved ewma state: a number in [0,1] is", state));
    }
    average_ = *value;
  }

 private:
  double half_life_;
  double weight_;  // of the newest heartbeat
  double average_ = 0;
};

std::unique_ptr<Estimator> make_ewma_estimator(const EstimatorOptions& options) {
  if (!std::isfinite(options.half_life) || options.half_life <= 0) {
    throw Error(ErrorKind::bad_input,
                fmt::format("half_life = {} is not above 0 (it is a number of heartbeats)",
                            options.half_life));
  }
  return std::make_unique<EwmaEstimator>(options.half_life);
}

}  // namespace

extern constexpr EstimatorMethod kEwmaMethod{"ewma", make_ewma_estimator};

}  // namespace tofa
