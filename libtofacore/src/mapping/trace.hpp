// SPDX-License-Identifier: BSD-3-Clause
// What a search found on its way: which candidates it tried, when the best mapping got better, and
// how far it is. Filled by the thread that called `place`, between parallel stretches of work.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "mapping/deadline.hpp"
#include "tofa/place.hpp"

namespace tofa {

class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Trace(const PlaceOptions& options) : Trace(options, nullptr) {}

  // A trace for work on the side, which says nothing of this one's task; progress that is reported
  // meanwhile remains this one's.
  Trace aside() { return {options_, this}; }

  double elapsed_seconds() const;
  // When the time limit began to run.
  Clock::time_point limit_start() const { return options_.started.value_or(start_); }

  // The default mapping. Unless it is `allowed`, anything that is counts as better.
  void begin(const Metrics& linear, bool allowed);
  // Of a mapper that is tried on several sets of nodes the cheapest answer counts.
  void tried(std::string_view mapper, const Metrics& metrics, double seconds);
  // Kept if it is better than everything before.
  void found(std::string_view source, const Metrics& metrics);
  // The answer, kept in any case: what seemed better was then not to be had.
  void chose(std::string_view source, const Metrics& metrics);

  // Calls the progress callback if it is time to. Does nothing in other threads than the caller's.
  // Whoever works long calls it again and again.
  void report_progress();

  // That work was cut short for the clock's sake. Safe to call in several threads.
  void hurry() { *cut_short() = true; }
  bool hurried() const { return hurried_; }
  // When the time for all of it is over: so many seconds after the time limit began to run. Whoever
  // is told so hurries.
  Deadline deadline(double seconds) { return Deadline(seconds, limit_start(), cut_short()); }

  // Writes candidates, cheapest first, and improvements.
  void write_to(Placement& placement) const;

 private:
  Trace(const PlaceOptions& options, Trace* main) : options_(options), main_(main) {}
  double cost_of(const Metrics& metrics) const;
  // What is cut short on the side is of the main work, however deep that is.
  std::atomic<bool>* cut_short() { return main_ != nullptr ? main_->cut_short() : &hurried_; }
  // What a mapping has to cost less than to count as better.
  double to_beat() const;

  const PlaceOptions& options_;
  Trace* main_;  // the trace that this one is aside of
  const Clock::time_point start_ = Clock::now();
  const std::thread::id caller_ = std::this_thread::get_id();
  double next_report_ = 0;  // in seconds since the start
  std::vector<CandidateReport> candidates_;
  std::vector<Improvement> improvements_;
  bool linear_allowed_ = true;
  std::atomic<bool> hurried_ = false;
};

}  // namespace tofa
