// SPDX-License-Identifier: BSD-3-Clause
// Amounts as people read and write them: see units.hpp.
#include "tofa/units.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr double kDay = 86'400;

// [[HOURS:]MINUTES:]SECONDS; after days, HOURS[:MINUTES[:SECONDS]].
std::optional<double> parse_clock(std::string_view text, bool after_days) {
  double seconds = 0;
  int fields = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    const auto field = parse_number<unsigned>(text.substr(0, colon));
    if (!field || ++fields > 3) return std::nullopt;
    seconds = seconds * 60 + *field;
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  for (; after_days && fields < 3; ++fields) seconds *= 60;
  return seconds;
}

// Numbers with units, the larger units first.
std::optional<double> parse_amounts(std::string_view text) {
  constexpr std::string_view units = "dhms";
  constexpr std::array<double, 4> seconds = {kDay, 3600, 60, 1};
  double sum = 0;
  std::size_t next = 0;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(units);
    if (end == std::string_view::npos) return std::nullopt;
    const std::size_t unit = units.find(text[end]);
    const auto number = parse_number<double>(text.substr(0, end));
    if (!number || unit < next) return std::nullopt;
    sum += *number * seconds[unit];
    next = unit + 1;
    text.remove_prefix(end + 1);
  }
  return sum;
}

std::optional<double> parse_any_duration(std::string_view text) {
  const std::size_t dash = text.find('-', 1);
  if (dash != std::string_view::npos) {
    const auto days = parse_number<unsigned>(text.substr(0, dash));
    const auto rest = parse_clock(text.substr(dash + 1), true);
    if (!days || !rest) return std::nullopt;
    return *days * kDay + *rest;
  }
  if (text.find(':') != std::string_view::npos) return parse_clock(text, false);
  if (const auto seconds = parse_number<double>(text)) return seconds;
  return parse_amounts(text);
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto seconds = parse_any_duration(text);
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0) return std::nullopt;
  return seconds;
}

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
