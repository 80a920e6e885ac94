// SPDX-License-Identifier: BSD-3-Clause
// How far a piece of planned work is: as far as what is done says or, where that would come too
// late, as the clock says. An arrangement that is cooled in less time than was planned is worth
// much more than one that is still hot when the time is over.
#pragma once

#include <algorithm>
#include <optional>

#include "mapping/deadline.hpp"
#include "mapping/trace.hpp"

namespace tofa {

class Pace {
 public:
  // Without `due` the clock says nothing.
  Pace(const std::optional<Deadline>& due, Trace& trace) : due_(due), trace_(trace) {
    if (due_) seconds_ = std::max(due_->seconds_left(), 1e-9);
  }

  // Of work of which a share `done` is done; 1 or more when it is over. What the clock says counts
  // only from a while on, so that a short pause changes nothing.
  double progress(double done) {
    constexpr double a_while = 0.25;
    if (!due_) return done;
    const double clock = 1 - due_->seconds_left() / seconds_;
    if (clock < a_while || clock <= done || done >= 1) return done;
    trace_.hurry();
    return clock;
  }

 private:
  std::optional<Deadline> due_;
  Trace& trace_;
  double seconds_ = 0;
};

}  // namespace tofa
