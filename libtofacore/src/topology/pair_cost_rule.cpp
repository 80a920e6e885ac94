// SPDX-License-Identifier: BSD-3-Clause
// The words for what a pair of nodes costs: see link_costs.hpp. Compiled by itself, since the
// plugin reads settings and loads nothing of what places.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "tofa/error.hpp"
#include "tofa/link_costs.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

using Words = std::array<std::string_view, 3>;
constexpr Words kMeasures = {"hops", "bandwidth", "stalls"};
constexpr Words kReductions = {"sum", "min", "max"};

std::size_t parse_word(const char* what, std::string_view word, const Words& known) {
  const auto found = std::find(known.begin(), known.end(), word);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  throw Error(ErrorKind::bad_input, fmt::format("unknown {} {}; known are {}", what, excerpt(word),
                                                fmt::join(known, ", ")));
}

}  // namespace

std::string_view measure_name(LinkMeasure measure) {
  return kMeasures[static_cast<std::size_t>(measure)];
}

std::string_view reduction_name(RouteReduction reduction) {
  return kReductions[static_cast<std::size_t>(reduction)];
}

LinkMeasure parse_measure(std::string_view name) {
  return static_cast<LinkMeasure>(parse_word("cost of a pair", name, kMeasures));
}

RouteReduction parse_reduction(std::string_view name) {
  return static_cast<RouteReduction>(parse_word("way to sum up a route", name, kReductions));
}

}  // namespace tofa
