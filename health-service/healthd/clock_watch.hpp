// SPDX-License-Identifier: BSD-3-Clause
// Whether the wall clock can be trusted with what is kept. Outages and days are forgotten by their
// age, so a clock that is a year ahead would forget them all. What the clock says is compared with
// what it said in the last round and with the time that has passed since by a clock that nobody
// sets; after a restart of the machine, with the last round only. When it is off by more than a
// day, nothing is forgotten until the daemon has run for a week with a clock that goes evenly, also
// over restarts. Nobody has to confirm anything: all that waiting costs is rows that are kept for
// longer.
//
// Estimates forget by age, too, and would stop learning until the date of a clock that was ahead.
// They are told of each step of the clock, also of one that matters to nothing else. Pure: no
// clock, no disk.
#pragma once

#include <optional>
#include <string>

namespace tofa::health {

struct ClockReading {
  double wall = 0;     // in seconds since 1970
  double running = 0;  // seconds since the machine started, asleep or not
  std::string boot;    // of the machine, which that time belongs to; empty when unknown
  friend bool operator==(const ClockReading&, const ClockReading&) = default;
};

// What is kept across restarts.
struct ClockMark {
  ClockReading last;
  double even = 0;  // for how many seconds of running the clock has gone evenly
  friend bool operator==(const ClockMark&, const ClockMark&) = default;
};

class ClockWatch {
 public:
  static constexpr double kMostOff = 86'400;
  static constexpr double kPatience = 7 * 86'400;
  static constexpr double kLeastStep = 10;  // what is less adds up

  ClockWatch() = default;
  explicit ClockWatch(const std::optional<ClockMark>& earlier);

  // Once a round. By how many seconds the wall clock is ahead of where it should be, or behind
  // (negative), when that is more than a day.
  std::optional<double> observe(const ClockReading& now);

  // By how many seconds the wall clock was set between the last two calls of observe(), or the mark
  // and the first one: forward (above 0) or back; 0: it was not. Over a restart of the machine any
  // time up to kMostOff may have passed.
  double step() const { return step_; }

  // What is old by this clock may be forgotten.
  bool trusted() const { return even_ >= kPatience; }
  // The last disagreement, until the clock is trusted again.
  std::optional<double> off() const { return trusted() ? std::nullopt : off_; }
  ClockMark mark() const { return {last_, even_}; }

 private:
  static bool same_boot(const ClockReading& now, const ClockReading& before);
  static double disagreement(const ClockReading& now, const ClockReading& before);
  void notice_step(const ClockReading& now);

  std::optional<ClockReading> reference_;
  ClockReading last_;
  bool looked_ = false;  // in this run
  double even_ = 0;
  double drift_ = 0;  // that step() has not told yet
  double step_ = 0;
  std::optional<double> off_;
};

// The clocks of this machine, now.
ClockReading read_clocks();

}  // namespace tofa::health
