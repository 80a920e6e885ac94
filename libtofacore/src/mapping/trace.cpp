// SPDX-License-Identifier: BSD-3-Clause
// Recording a search: see trace.hpp.
#include "mapping/trace.hpp"

#include <algorithm>
#include <limits>

namespace tofa {

double Trace::elapsed_seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

double Trace::cost_of(const Metrics& metrics) const {
  return objective_value(options_.objective, metrics, options_.abort_cost);
}

double Trace::to_beat() const {
  if (improvements_.size() == 1 && !linear_allowed_) return std::numeric_limits<double>::infinity();
  return improvements_.back().cost;
}

void Trace::begin(const Metrics& linear, bool allowed) {
  improvements_.push_back({elapsed_seconds(), cost_of(linear), "linear"});
  linear_allowed_ = allowed;
}

void Trace::tried(std::string_view mapper, const Metrics& metrics, double seconds) {
  const double cost = cost_of(metrics);
  const auto known =
      std::find_if(candidates_.begin(), candidates_.end(),
                   [mapper](const CandidateReport& entry) { return entry.mapper == mapper; });
  if (known == candidates_.end()) {
    candidates_.push_back({std::string(mapper), cost, seconds});
  } else {
    known->cost = std::min(known->cost, cost);
    known->seconds += seconds;
  }
}

void Trace::found(std::string_view source, const Metrics& metrics) {
  const double cost = cost_of(metrics);
  if (cost < to_beat()) improvements_.push_back({elapsed_seconds(), cost, std::string(source)});
}

void Trace::chose(std::string_view source, const Metrics& metrics) {
  while (improvements_.size() > 1 && improvements_.back().cost < cost_of(metrics)) {
    improvements_.pop_back();
  }
  found(source, metrics);
}

void Trace::report_progress() {
  if (main_ != nullptr) return main_->report_progress();
  constexpr double interval = 0.25;
  if (!options_.progress || std::this_thread::get_id() != caller_) return;
  const double elapsed = elapsed_seconds();
  if (elapsed < next_report_ || improvements_.empty()) return;
  next_report_ = elapsed + interval;
  const std::chrono::duration<double> before = start_ - limit_start();
  options_.progress({before.count() + elapsed, options_.time_limit_seconds,
                     improvements_.back().cost, improvements_.front().cost});
}

void Trace::write_to(Placement& placement) const {
  placement.candidates = candidates_;
  std::stable_sort(
      placement.candidates.begin(), placement.candidates.end(),
      [](const CandidateReport& a, const CandidateReport& b) { return a.cost < b.cost; });
  placement.improvements = improvements_;
}

}  // namespace tofa
