// SPDX-License-Identifier: BSD-3-Clause
// When Slurm is told again what it did not do. A controller that cannot be reached is back soon, so
// it is tried again soon, and less and less often while it stays away; one that refuses will refuse
// again until an admin changes something. Pure: no clock.
#pragma once

namespace tofa::health {

enum class DrainOutcome { done, refused, unanswered };

class DrainRetry {
 public:
  static constexpr double kFirst = 30;  // seconds
  static constexpr double kLongest = 600;
  static constexpr double kRefused = 3600;

  // Seconds until something may be tried again.
  double after(DrainOutcome outcome);

 private:
  double next_ = kFirst;
};

}  // namespace tofa::health
