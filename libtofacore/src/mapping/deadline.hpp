// SPDX-License-Identifier: BSD-3-Clause
// A point in time after which work is cut short. Whoever works long asks for it again and again,
// and leaves out what is left once it has passed, which can be noted: what came of the work then
// depends on the clock.
#pragma once

#include <atomic>
#include <chrono>

namespace tofa {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // `cut_short`, if given, becomes true when somebody is told that this, or a share of it, has
  // passed.
  explicit Deadline(double seconds, Clock::time_point start = Clock::now(),
                    std::atomic<bool>* cut_short = nullptr)
      : end_(start +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        cut_short_(cut_short) {}
  bool passed() const {
    const bool passed = Clock::now() >= end_;
    if (passed && cut_short_ != nullptr) *cut_short_ = true;
    return passed;
  }
  // Negative when it has passed.
  double seconds_left() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }
  // So much of the time that is left.
  Deadline share(double of_the_rest) const {
    return Deadline(of_the_rest * seconds_left(), Clock::now(), cut_short_);
  }

 private:
  Clock::time_point end_;
  std::atomic<bool>* cut_short_;
};

}  // namespace tofa
