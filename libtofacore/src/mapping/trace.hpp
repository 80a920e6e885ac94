// SPDX-License-Identifier: BSD-3-Clause
// What a search found on its way: which candidates it tried, when the best mapping got better, and
// how far it is. Filled by the thread that called `place`, between parallel stretches of work.
#pragma once

#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

#include "tofa/place.hpp"

namespace tofa {

class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Trace(const PlaceOptions& options) : options_(options) {}

  double elapsed_seconds() const;
  // When the time limit began to run.
  Clock::time_point limit_start() const { return options_.started.value_or(start_); }

  // The default mapping. Unless it is `allowed`, anything that is counts as better.
  void begin(const Metrics& linear, bool allowed);
  // Of a mapper that is tried on several sets of nodes the cheapest answer counts.
  void tried(std::string_view mapper, const Metrics& metrics, double seconds);
  // Kept if it is better than everything before.
  void found(std::string_view source, const Metrics& metrics);
  // Kept in any case: a search may give up what was better for a mapping with shorter ways, and
  // that then does not count as found.
  void chose(std::string_view source, const Metrics& metrics);

  // Calls the progress callback if it is time to. Does nothing in other threads than the caller's.
  void report_progress();

  // Writes candidates, cheapest first, and improvements.
  void write_to(Placement& placement) const;

 private:
  const PlaceOptions& options_;
  const Clock::time_point start_ = Clock::now();
  const std::thread::id caller_ = std::this_thread::get_id();
  double next_report_ = 0;  // in seconds since the start
  std::vector<CandidateReport> candidates_;
  std::vector<Improvement> improvements_;
  std::vector<double> judgements_;  // of the improvements, as searches judge them; descending
};

}  // namespace tofa
