// SPDX-License-Identifier: BSD-3-Clause
// Tells a libpmix that hangs from one that is slow. A process that is alive answers somebody sooner
// or later, so what counts is how long clients have been waiting without any of them being
// answered. Nobody waits on a machine that sleeps, and where everything stands still for a while,
// the gate does, too: between two looks hardly any time is counted. Where another process is no
// faster, the machine is to blame, so each one that is given up earns the next more time.
#pragma once

#include <chrono>
#include <optional>

namespace tofa::health {

class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  // What has been seen since the last look.
  struct Seen {
    bool owes = false;     // libpmix owes somebody a word
    bool stirred = false;  // it said something
  };
  // When the process is to be given up: how long it let clients wait. The next look is at another
  // one then.
  std::optional<std::chrono::seconds> spent(Clock::time_point now, const Seen& seen);
  // The next look is at another process.
  void begin_again() { waited_ = {}; }

 private:
  static constexpr std::chrono::seconds kFirst{3};

  Clock::time_point last_look_;
  Clock::time_point last_loss_;
  Clock::duration waited_{};
  Clock::duration limit_ = kFirst;
};

}  // namespace tofa::health
