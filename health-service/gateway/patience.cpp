// SPDX-License-Identifier: BSD-3-Clause
#include "gateway/patience.hpp"

#include <algorithm>

namespace tofa::health {
namespace {

// As long as the gate waits for events when nobody stirs.
constexpr Patience::Clock::duration kLongestLook = std::chrono::seconds(1);
constexpr Patience::Clock::duration kMost = std::chrono::seconds(24);
constexpr std::chrono::minutes kRemembered{10};

}  // namespace

std::optional<std::chrono::seconds> Patience::spent(Clock::time_point now, const Seen& seen) {
  const auto passed = std::min(now - last_look_, kLongestLook);
  last_look_ = now;
  if (now - last_loss_ >= kRemembered) limit_ = kFirst;
  if (seen.stirred) {
    waited_ = {};
  } else if (seen.owes) {
    waited_ += passed;
  }
  if (waited_ < limit_) return {};
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(waited_);
  begin_again();
  limit_ = std::min(2 * limit_, kMost);
  last_loss_ = now;
  return waited;
}

}  // namespace tofa::health
