// SPDX-License-Identifier: BSD-3-Clause
// Efforts by name.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "tofa/error.hpp"
#include "tofa/place.hpp"

namespace tofa {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 3> kEfforts = {"fast", "normal", "thorough"};

}  // namespace

std::string_view effort_name(Effort effort) {
  return kEfforts[static_cast<std::size_t>(effort)];
}

Effort parse_effort(std::string_view name) {
  const auto found = std::find(kEfforts.begin(), kEfforts.end(), name);
  if (found != kEfforts.end()) return static_cast<Effort>(found - kEfforts.begin());
  throw Error(ErrorKind::bad_input,
              fmt::format("unknown effort \"{}\"; known are {}", name, fmt::join(kEfforts, ", ")));
}

}  // namespace tofa
