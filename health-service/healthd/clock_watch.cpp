// SPDX-License-Identifier: BSD-3-Clause
// While the machine runs, the wall clock has one place where it should be: many small steps in one
// direction add up, since all are compared with the same reference. Over a restart of the machine
// it may have moved on by any time, but more than a day is reported.
#include "healthd/clock_watch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"

namespace tofa::health {

ClockWatch::ClockWatch(const std::optional<ClockMark>& earlier) {
  if (!earlier) return;
  reference_ = last_ = earlier->last;
  even_ = earlier->even;
}

bool ClockWatch::same_boot(const ClockReading& now, const ClockReading& before) {
  return !now.boot.empty() && now.boot == before.boot;
}

double ClockWatch::disagreement(const ClockReading& now, const ClockReading& before) {
  const double passed = same_boot(now, before) ? now.running - before.running : 0;
  return now.wall - (before.wall + passed);
}

void ClockWatch::notice_step(const ClockReading& now) {
  step_ = 0;
  const double moved = disagreement(now, last_);
  if (!std::isfinite(moved)) return;
  if (!same_boot(now, last_) && moved >= 0 && moved <= kMostOff) return;
  drift_ += moved;
  if (std::abs(drift_) >= kLeastStep) step_ = std::exchange(drift_, 0);
}

std::optional<double> ClockWatch::observe(const ClockReading& now) {
  const bool first = !reference_.has_value();
  if (first) reference_ = now;
  if (!first) notice_step(now);
  const double off = disagreement(now, *reference_);
  // Time counts in which this daemon ran, not that between two runs.
  if (looked_) even_ = std::min(even_ + std::max(0.0, now.running - last_.running), kPatience);
  if (now.boot.empty() || now.boot != reference_->boot) reference_ = now;
  last_ = now;
  looked_ = true;
  if (std::isfinite(off) && std::abs(off) <= kMostOff) return std::nullopt;
  reference_ = now;
  even_ = 0;
  off_ = off;
  return off;
}

ClockReading read_clocks() {
  ClockReading now;
  now.wall =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  timespec running{};
  ::clock_gettime(CLOCK_BOOTTIME, &running);
  now.running = static_cast<double>(running.tv_sec) + static_cast<double>(running.tv_nsec) * 1e-9;
  try {
    const std::string id = read_file("/proc/sys/kernel/random/boot_id");
    now.boot = id.substr(0, id.find('\n'));
  } catch (const Error&) {
    now.boot.clear();  // then only the wall clock's own steps are seen
  }
  return now;
}

}  // namespace tofa::health
