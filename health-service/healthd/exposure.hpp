// SPDX-License-Identifier: BSD-3-Clause
// How often a host fails. Taking the time between its failures as exponentially distributed, the
// maximum likelihood estimate of its rate is k / T: k outages that began while it was seen up for T
// hours in all (W. Nelson, Applied Life Data Analysis, 1982, section 3.1, for what has been
// observed for different times). Both are kept per day, so that what is older than the window is
// forgotten.
//
// A host seen for less than a day counts as seen for a day: one failure in its first minute does
// not mean that there will be sixty in an hour.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tofa/outage_rate.hpp"

namespace tofa::health {

inline constexpr double kDay = 86'400;  // seconds

struct Day {
  std::int64_t day = 0;  // since 1970, UTC
  double up_seconds = 0;
  std::uint64_t outages = 0;  // that began
  friend bool operator==(const Day&, const Day&) = default;
};

// A row of the database.
struct HostDay {
  std::string host;
  Day day;
  friend bool operator==(const HostDay&, const HostDay&) = default;
};

// As estimators learn from them.
std::vector<WatchedDay> watched_days(const std::vector<Day>& days);

class Exposure {
 public:
  explicit Exposure(unsigned window_days = 30) : window_(window_days) {}

  // It was up during the `seconds` before `time`, in seconds since 1970.
  void add_up(double time, double seconds);
  // Returns the day.
  Day add_outage(double time);

  // Outages per hour.
  double rate(double now) const;

  std::vector<Day> days() const;

  // Of the same host under another name. Returns the day with both.
  Day add(const Day& more);

  // Of an earlier run.
  void restore(const Day& day);
  // Of the configuration before, which may have had another window.
  void take_over(const Exposure& previous);

  // Days with an outage or an hour more than was saved, or that have ended; `all` that have
  // changed.
  std::vector<Day> unsaved(bool all) const;
  void mark_saved();

 private:
  struct Entry {
    Day now;
    Day saved;
  };
  Day& at(double time);

  unsigned window_;
  std::vector<Entry> days_;  // by day
  std::int64_t today_ = 0;   // that was changed last
};

}  // namespace tofa::health
