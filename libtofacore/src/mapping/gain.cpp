// SPDX-License-Identifier: BSD-3-Clause
// Predicted gains: see gain.hpp.
#include "tofa/gain.hpp"

#include <fmt/core.h>

#include <cmath>

namespace tofa {

double communication_speedup(const Metrics& before, const Metrics& after) {
  const double chosen = communication_time(after);
  return chosen > 0 ? communication_time(before) / chosen : 1;
}

std::string speedup_text(const Metrics& before, const Metrics& after) {
  const double speedup = communication_speedup(before, after);
  const double percent = std::round(100 * (speedup >= 1 ? speedup - 1 : 1 / speedup - 1));
  if (percent < 1) return "as fast as the default";
  if (speedup < 1) return fmt::format("{:.0f} % slower than the default", percent);
  if (speedup < 2) return fmt::format("{:.0f} % faster than the default", percent);
  return fmt::format("{:.1f} times as fast as the default", speedup);
}

}  // namespace tofa
