// SPDX-License-Identifier: BSD-3-Clause
// What one host has shown, summed up: see tofa/outage_rate.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "outage/hazard.hpp"
#include "tofa/error.hpp"
#include "tofa/outage_rate.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

// A host that fails again at once has been up for as long as it takes to notice.
constexpr double kLeastAgeDays = 1.0 / 1440;

constexpr double kLatest = 1e11;  // in seconds since 1970

}  // namespace

HostEvidence::HostEvidence(double half_life_days)
    : half_life_seconds_(half_life_days * kSecondsPerDay) {
  if (!(half_life_days > 0)) {
    throw Error(ErrorKind::bad_input,
                "the half-life of outages is not above 0 (it is a number of days)");
  }
}

double HostEvidence::decay(double now) const {
  return now > time_ ? std::exp2(-(now - time_) / half_life_seconds_) : 1;
}

void HostEvidence::forget(double now) {
  if (now <= time_) return;
  const double weight = decay(now);
  outages_ *= weight;
  up_days_ *= weight;
  log_ages_ *= weight;
  for (double& exposure : exposure_) exposure *= weight;
  time_ = now;
}

double HostEvidence::age_days(double now) const {
  if (out_) return 0;
  return watched_ ? std::max(0.0, now - begin_) / kSecondsPerDay : kHazardUnitDays;
}

void HostEvidence::watch(double from, double to, double up_seconds) {
  if (!watched_) {
    watched_ = true;
    time_ = from;
    begin_ = from - kHazardUnitDays * kSecondsPerDay;
  }
  from = std::max(from, time_);
  if (to <= from || up_seconds <= 0) return;
  if (out_) recover(from);
  const double share = std::min(1.0, up_seconds / (to - from));
  const double begin = age_days(from);
  const double end = age_days(to);
  // What was at its end counts 1, what was before a little less.
  const double lost = (to - from) / half_life_seconds_ * std::log(2.0);
  const double weight = share * (lost > 1e-9 ? -std::expm1(-lost) / lost : 1);
  forget(to);
  up_days_ += weight * (to - from) / kSecondsPerDay;
  for (std::size_t shape = 0; shape < exposure_.size(); ++shape) {
    exposure_[shape] += weight * cumulative_hazard(kHazardShapes[shape], begin, end);
  }
}

// Not out of the range that restore() takes: what a clock in 1970 tells has to be read back, too.
void HostEvidence::set_clock(double seconds) {
  if (!watched_) return;
  seconds = std::clamp(seconds, -time_, kLatest - time_);
  time_ += seconds;
  begin_ += seconds;
}

void HostEvidence::leave_future(double now) {
  time_ = std::min(time_, now);
  begin_ = std::min(begin_, now);
}

void HostEvidence::add_earlier(const HostEvidence& earlier) {
  if (!earlier.watched_) return;
  if (!watched_) {
    *this = earlier;
    return;
  }
  const double weight = earlier.decay(time_);
  outages_ += weight * earlier.outages_;
  up_days_ += weight * earlier.up_days_;
  log_ages_ += weight * earlier.log_ages_;
  for (std::size_t i = 0; i < exposure_.size(); ++i) {
    exposure_[i] += weight * earlier.exposure_[i];
  }
  // How old it was when this one began to watch is left as it was taken.
  if (has_failed_) return;
  has_failed_ = earlier.has_failed_;
  begin_ = std::min(has_failed_ ? time_ : begin_, earlier.begin_);
}

// Days that all count, U of which are left after they have been forgotten: U is the integral of the
// weight over them.
double HostEvidence::watched_since() const {
  if (!watched_) return std::numeric_limits<double>::infinity();
  const double mean_life = half_life_seconds_ / kSecondsPerDay / std::log(2.0);
  const double share = std::min(up_days_ / mean_life, 1 - 1e-9);
  const double days = std::isinf(mean_life) ? up_days_ : -mean_life * std::log1p(-share);
  return time_ - days * kSecondsPerDay;
}

void HostEvidence::fail(double start) {
  if (!watched_) watch(start, start);
  forget(start);
  ++outages_;
  log_ages_ += std::log(std::max(kLeastAgeDays, age_days(time_)) / kHazardUnitDays);
  has_failed_ = true;
  out_ = true;
}

void HostEvidence::recover(double end) {
  if (!watched_) watch(end, end);
  forget(end);
  begin_ = time_;
  has_failed_ = true;
  out_ = false;
}

// What lies before the outage that is known last says nothing about the time since then. How long
// the host had been up before such an outage is not known either: an average time.
void HostEvidence::add_past(double start, double end) {
  if (!watched_) watch(end, end);
  const double weight = std::exp2(-std::max(0.0, time_ - start) / half_life_seconds_);
  const bool latest = !out_ && start >= begin_;
  const double age = latest ? (start - begin_) / kSecondsPerDay : kHazardUnitDays;
  outages_ += weight;
  log_ages_ += weight * std::log(std::max(kLeastAgeDays, age) / kHazardUnitDays);
  has_failed_ = true;
  if (latest) begin_ = std::max(start, end);
}

namespace {

constexpr double kMostOfASum = 1e9;

bool within_range(double value, double least, double most) {
  return value >= least && value <= most;  // false for NaN
}

}  // namespace

std::string HostEvidence::save() const {
  std::string text = fmt::format("{:.0f} {:.0f} {:d} {:d} {:d} {:.9g} {:.9g} {:.9g}", time_, begin_,
                                 watched_, has_failed_, out_, outages_, up_days_, log_ages_);
  for (const double exposure : exposure_) text += fmt::format(" {:.9g}", exposure);
  return text;
}

void HostEvidence::restore(std::string_view state) {
  HostEvidence read = *this;
  std::string_view rest = state;
  bool good = true;
  const auto take = [&](double least, double most) {
    const auto value = parse_number<double>(next_word(rest));
    good = good && value && within_range(*value, least, most);
    return good ? *value : 0;
  };
  read.time_ = take(0, kLatest);
  read.begin_ = take(-kLatest, kLatest);
  read.watched_ = take(0, 1) > 0;
  read.has_failed_ = take(0, 1) > 0;
  read.out_ = take(0, 1) > 0;
  read.outages_ = take(0, kMostOfASum);
  read.up_days_ = take(0, kMostOfASum);
  read.log_ages_ = take(-kMostOfASum, kMostOfASum);
  for (double& exposure : read.exposure_) exposure = take(0, kMostOfASum);
  if (!good || !trim(rest).empty()) {
    throw Error(ErrorKind::bad_input, fmt::format("{} is no saved gamma state: {} numbers are",
                                                  excerpt(state), 8 + exposure_.size()));
  }
  *this = read;
}

namespace {

// The outages of a day in the order of time: those that are listed, and the others that it counts.
std::vector<OutageTimes> outages_of_day(const WatchedDay& day, std::span<const OutageTimes> known) {
  std::vector<OutageTimes> outages(known.begin(), known.end());
  for (std::size_t i = outages.size(); i < day.outages; ++i) {
    const double time =
        day.start + kSecondsPerDay * static_cast<double>(i + 1) / (day.outages + 1.0);
    outages.push_back({time, time});
  }
  std::sort(outages.begin(), outages.end(),
            [](const OutageTimes& a, const OutageTimes& b) { return a.start < b.start; });
  return outages;
}

void add_day(HostEvidence& evidence, const WatchedDay& day, std::span<const OutageTimes> known) {
  const double day_end = day.start + kSecondsPerDay;
  struct Stretch {
    double from;
    double to;
  };
  std::vector<Stretch> up;  // each ends with an outage but the last
  double from = day.start;
  double length = 0;
  const auto outages = outages_of_day(day, known);
  for (const OutageTimes& outage : outages) {
    up.push_back({from, std::max(outage.start, from)});
    length += up.back().to - from;
    // One that lasts, or into the next day, leaves nothing of this one.
    from = outage.end > 0 ? std::clamp(outage.end, up.back().to, day_end) : day_end;
  }
  up.push_back({from, day_end});
  length += day_end - from;
  const double share = length > 0 ? std::min(1.0, day.up_seconds / length) : 0;
  for (std::size_t i = 0; i < up.size(); ++i) {
    evidence.watch(up[i].from, up[i].to, share * (up[i].to - up[i].from));
    if (i >= outages.size()) break;
    evidence.fail(up[i].to);
    if (outages[i].end > 0) evidence.recover(std::max(outages[i].end, up[i].to));
  }
}

}  // namespace

HostEvidence evidence_of_days(std::span<const WatchedDay> days, std::span<const OutageTimes> known,
                              double half_life_days) {
  HostEvidence evidence(half_life_days);
  std::size_t next = 0;
  // Before the first day nothing was counted: such an outage only says how long ago it was.
  for (; next < known.size() && !days.empty() && known[next].start < days.front().start; ++next) {
    if (known[next].end > 0) evidence.recover(known[next].end);
  }
  for (const WatchedDay& day : days) {
    const std::size_t first = next;
    while (next < known.size() && known[next].start < day.start + kSecondsPerDay) ++next;
    add_day(evidence, day, known.subspan(first, next - first));
  }
  return evidence;
}

}  // namespace tofa
