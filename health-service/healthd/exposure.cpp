// SPDX-License-Identifier: BSD-3-Clause
// One entry per day, in order. A clock that leaps by more than the window takes no day out of the
// memory, so that nothing is lost when it is set right.
#include "healthd/exposure.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tofa::health {
namespace {

constexpr double kHour = 3600;

std::int64_t day_of(double time) {
  return static_cast<std::int64_t>(std::floor(time / kDay));
}

}  // namespace

std::vector<WatchedDay> watched_days(const std::vector<Day>& days) {
  std::vector<WatchedDay> watched;
  watched.reserve(days.size());
  for (const Day& day : days) {
    watched.push_back({static_cast<double>(day.day) * kDay, day.up_seconds,
                       static_cast<unsigned>(std::min<std::uint64_t>(day.outages, 86'400))});
  }
  return watched;
}

Day& Exposure::at(double time) {
  const std::int64_t day = day_of(time);
  const std::int64_t before = std::exchange(today_, day);
  auto place = std::lower_bound(days_.begin(), days_.end(), day,
                                [](const Entry& entry, auto d) { return entry.now.day < d; });
  if (place != days_.end() && place->now.day == day) return place->now;
  place = days_.insert(place, Entry{{day, 0, 0}, {day, 0, 0}});
  if (day - before <= window_ || days_.size() > std::size_t{2} * window_) {
    // Entries leave the memory here; rate() must not count them a moment earlier either.
    std::erase_if(days_, [&](const Entry& entry) { return entry.now.day <= day - window_; });
    place = std::find_if(days_.begin(), days_.end(),
                         [&](const Entry& entry) { return entry.now.day == day; });
  }
  return place->now;
}

void Exposure::add_up(double time, double seconds) {
  at(time).up_seconds += seconds;
}

Day Exposure::add_outage(double time) {
  Day& day = at(time);
  ++day.outages;
  return day;
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

std::vector<Day> Exposure::days() const {
  std::vector<Day> days;
  for (const Entry& entry : days_) days.push_back(entry.now);
  return days;
}

Day Exposure::add(const Day& more) {
  auto place = std::lower_bound(days_.begin(), days_.end(), more.day,
                                [](const Entry& entry, auto d) { return entry.now.day < d; });
  if (place == days_.end() || place->now.day != more.day) {
    place = days_.insert(place, Entry{{more.day, 0, 0}, {more.day, 0, 0}});
  }
  place->now.up_seconds += more.up_seconds;
  place->now.outages += more.outages;
  return place->now;
}

void Exposure::restore(const Day& day) {
  days_.push_back({day, day});
  std::sort(days_.begin(), days_.end(),
            [](const Entry& a, const Entry& b) { return a.now.day < b.now.day; });
  today_ = days_.back().now.day;
}

void Exposure::take_over(const Exposure& previous) {
  days_ = previous.days_;
  today_ = previous.today_;
}

std::vector<Day> Exposure::unsaved(bool all) const {
  std::vector<Day> changed;
  for (const Entry& entry : days_) {
    const bool due = all || entry.now.outages != entry.saved.outages || entry.now.day != today_ ||
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
