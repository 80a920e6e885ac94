// SPDX-License-Identifier: BSD-3-Clause
// Twice as long after each try that was not answered; one that was, whatever the answer, begins
// anew.
#include "healthd/drain_retry.hpp"

#include <algorithm>
#include <utility>

namespace tofa::health {

double DrainRetry::after(DrainOutcome outcome) {
  if (outcome == DrainOutcome::unanswered) {
    return std::exchange(next_, std::min(2 * next_, kLongest));
  }
  next_ = kFirst;
  return outcome == DrainOutcome::refused ? kRefused : 0;
}

}  // namespace tofa::health
