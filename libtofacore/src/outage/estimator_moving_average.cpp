// SPDX-License-Identifier: BSD-3-Clause
// `moving-average`: the fraction of misses among the last `window` heartbeats, as the TOFA paper
// suggests first.
#include <fmt/format.h>

#include <algorithm>

#include "outage/estimator_methods.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

constexpr unsigned kMaxWindow = 100'000;

class MovingAverageEstimator final : public Estimator {
 public:
  explicit MovingAverageEstimator(unsigned window) : missed_(window, false) {}

  void record(bool answered) override {
    misses_ -= missed_[next_] ? 1 : 0;
    missed_[next_] = !answered;
    misses_ += answered ? 0 : 1;
    next_ = (next_ + 1) % missed_.size();
  }

  void add_past(double start, double end, const HeartbeatTimes& times) override {
    const auto ages = ages_of(start, end, times);
    if (!ages) return;
    for (std::uint64_t age = ages->youngest; age <= ages->oldest && age < missed_.size(); ++age) {
      const std::size_t place = (next_ + missed_.size() - 1 - age) % missed_.size();
      misses_ += missed_[place] ? 0 : 1;
      missed_[place] = true;
    }
  }

  double probability() const override {
    return static_cast<double>(misses_) / static_cast<double>(missed_.size());
  }

  ExplainedEstimate explain(const ExplainedCase& /*asked*/) const override {
    return {probability(),
            "now = missed / heartbeats",
            {{"missed", static_cast<double>(misses_), "heartbeats that were missed"},
             {"heartbeats", static_cast<double>(missed_.size()), "among the last so many"}}};
  }

  // From the oldest miss on, one character per heartbeat: `x` missed, `.` answered. Empty when none
  // was missed.
  std::string save() const override {
    std::string state;
    for (std::size_t i = 0; i < missed_.size(); ++i) {
      const bool missed = missed_[(next_ + i) % missed_.size()];
      if (missed || !state.empty()) state += missed ? 'x' : '.';
    }
    return state;
  }

  void restore(std::string_view state) override {
    if (state.find_first_not_of("x.") != std::string_view::npos || state.size() > kMaxWindow) {
      throw Error(ErrorKind::bad_input,
                  "no saved moving-average state: one x or . per heartbeat is expected");
    }
    std::fill(missed_.begin(), missed_.end(), false);
    misses_ = 0;
    next_ = 0;
    for (const char c : state) record(c == '.');
  }

 private:
  std::vector<bool> missed_;  // a ring; next_ is the oldest entry
  std::size_t next_ = 0;
  std::size_t misses_ = 0;
};

std::unique_ptr<Estimator> make_moving_average_estimator(const EstimatorOptions& options) {
  if (options.window < 1 || options.window > kMaxWindow) {
    throw Error(ErrorKind::bad_input, fmt::format("window = {} is outside 1 to {} heartbeats",
                                                  options.window, kMaxWindow));
  }
  return std::make_unique<MovingAverageEstimator>(options.window);
}

}  // namespace

extern constexpr EstimatorMethod kMovingAverageMethod{"moving-average",
                                                      make_moving_average_estimator};

}  // namespace tofa
