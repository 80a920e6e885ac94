// SPDX-License-Identifier: BSD-3-Clause
// A point in time after which work is cut short. Whoever works long asks for it again and again.
#pragma once

#include <chrono>

namespace tofa {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(double seconds, Clock::time_point start = Clock::now())
      : end_(start +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  bool passed() const { return Clock::now() >= end_; }
  // Negative when it has passed.
  double seconds_left() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }
  // So much of the time that is left.
  Deadline share(double of_the_rest) const { return Deadline(of_the_rest * seconds_left()); }

 private:
  Clock::time_point end_;
};

}  // namespace tofa
