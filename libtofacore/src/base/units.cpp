// SPDX-License-Identifier: BSD-3-Clause
// Amounts as people read them: see units.hpp.
#include "tofa/units.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace tofa {

std::string human_bytes(double bytes) {
  constexpr std::array<const char*, 7> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  const bool whole = bytes == std::floor(bytes) || bytes >= 100;
  return fmt::format("{:.{}f} {}", bytes, whole ? 0 : 1, units[unit]);
}

}  // namespace tofa
