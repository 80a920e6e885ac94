// SPDX-License-Identifier: BSD-3-Clause
// One entry per day, the newest last; a clock that was set back adds to the newest.
#include "healthd/exposure.hpp"

#include <algorithm>
#include <cmath>

namespace tofa::health {
namespace {

constexpr double kHour = 3600;

std::int64_t day_of(double time) {
  return static_cast<std::int64_t>(std::floor(time / kDay));
}

}  // namespace

Day& Exposure::at(double time) {
  const std::int64_t day = day_of(time);
  if (days_.empty() || days_.back().now.day < day) {
    days_.push_back({{day, 0, 0}, {day, 0, 0}});
    // Entries leave the memory here; rate() must not count them a moment earlier either.
    std::erase_if(days_, [&](const Entry& entry) { return entry.now.day <= day - window_; });
  }
  return days_.back().now;
}

void Exposure::add_up(double time, double seconds) {
  at(time).up_seconds += seconds;
}

void Exposure::add_outage(double time) {
  ++at(time).outages;
}

double Exposure::rate(double now) const {
  double seconds = 0;
  double outages = 0;
  for (const Entry& entry : days_) {
    if (entry.now.day <= day_of(now) - window_) continue;
    seconds += entry.now.up_seconds;
    outages += static_cast<double>(entry.now.outages);
  }
  return outages * kHour / std::max(seconds, kDay);
}

void Exposure::restore(const Day& day) {
  days_.push_back({day, day});
  std::sort(days_.begin(), days_.end(),
            [](const Entry& a, const Entry& b) { return a.now.day < b.now.day; });
}

void Exposure::take_over(const Exposure& previous) {
  days_ = previous.days_;
}

std::vector<Day> Exposure::unsaved(bool all) const {
  std::vector<Day> changed;
  for (const Entry& entry : days_) {
    const bool due = all || entry.now.outages != entry.saved.outages || &entry != &days_.back() ||
                     entry.now.up_seconds >= entry.saved.up_seconds + kHour;
    if (due && entry.now != entry.saved) changed.push_back(entry.now);
  }
  return changed;
}

void Exposure::mark_saved() {
  for (const Day& day : unsaved(false)) {
    for (Entry& entry : days_) {
      if (entry.now.day == day.day) entry.saved = entry.now;
    }
  }
}

}  // namespace tofa::health
