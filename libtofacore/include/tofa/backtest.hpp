// SPDX-License-Identifier: BSD-3-Clause
// How good predictions of outages would have been. A log of outages is replayed: at each of a row
// of times, every estimator, which has seen what came before and nothing else, says for every host
// that is up how likely it fails within each horizon; the log says whether it did. Scores are
//
//     Brier     mean of (p - y)^2, y 1 where the host failed and 0 where not
//     log loss  mean of -log p where it failed, -log(1 - p) where not, p within [1e-6, 1 - 1e-6]
//
// and lower is better (T. Gneiting and A. Raftery, Strictly proper scoring rules, 2007). In a
// reliability table, hosts that were given about the same p should have failed that often.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/outage_log.hpp"
#include "tofa/outage_rate.hpp"

namespace tofa {

// What is tried. Events of one host come in the order of time; what is told lies before the time
// of the next question.
class BacktestEstimator {
 public:
  virtual ~BacktestEstimator() = default;
  virtual std::string name() const = 0;
  virtual void begin(const OutageLog& log) = 0;
  // A host was up and watched between two times; failed; came back.
  virtual void watched(std::size_t host, double from, double to) = 0;
  virtual void failed(std::size_t host, double start) = 0;
  virtual void recovered(std::size_t host, double end) = 0;
  // The next questions are about this time.
  virtual void look(double now) = 0;
  virtual double within(std::size_t host, double horizon_seconds) = 0;
};

struct EstimatorChoice {
  double half_life_days = kOutageHalfLifeDays;
};
// All that tofa has: gamma, constant, rate, moving-average, ewma.
std::vector<std::unique_ptr<BacktestEstimator>> backtest_estimators(
    const EstimatorChoice& choice = {});

struct Prediction {
  double time;
  std::size_t host;
  double horizon;
  std::size_t estimator;
  double probability;
  bool failed;
};

struct BacktestOptions {
  std::vector<double> horizons{3600, 86'400, 604'800};  // seconds
  double step = 86'400;                                 // seconds from one time to the next
  double burn_in = -1;  // seconds before the first; negative: 30 days, or a third of a shorter log
  std::function<void(const Prediction&)> each;  // may be empty
};

struct ReliabilityBin {
  std::size_t predictions = 0;
  std::size_t failures = 0;
  double sum = 0;  // of the probabilities
};
// Bins end with these probabilities.
inline constexpr std::array kReliabilityEdges{0.0,  1e-4, 3e-4, 1e-3, 3e-3,
                                              0.01, 0.03, 0.1,  0.3,  1.0};

struct EstimatorScore {
  std::string estimator;
  double brier = 0;
  double log_loss = 0;
  double mean = 0;            // probability
  std::size_t surprises = 0;  // failures that were given p = 0
  std::array<ReliabilityBin, kReliabilityEdges.size()> reliability{};
};

struct HorizonScore {
  double horizon = 0;
  std::size_t predictions = 0;
  std::size_t failures = 0;
  std::vector<EstimatorScore> estimators;
};

// Throws Error (bad_input) when the log is too short for a prediction over the shortest horizon;
// horizons that it is too short for have no predictions.
std::vector<HorizonScore> run_backtest(
    const OutageLog& log, const BacktestOptions& options,
    const std::vector<std::unique_ptr<BacktestEstimator>>& estimators);

}  // namespace tofa
