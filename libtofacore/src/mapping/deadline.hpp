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

 private:
  Clock::time_point end_;
};

}  // namespace tofa
