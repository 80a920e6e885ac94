// SPDX-License-Identifier: BSD-3-Clause
// Reading the values of the keys; see planner_settings.hpp.
#include "planner_settings.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tofa/error.hpp"
#include "tofa/units.hpp"

namespace tofa::planner {
namespace {

constexpr double kLongestTimeLimit = 3600;

[[noreturn]] void refuse(const std::string& key, const std::string& value,
                         const std::string& expected) {
  throw Error(ErrorKind::bad_input, fmt::format("{}=\"{}\" is not {}", key, value, expected));
}

template <typename Number>
std::optional<Number> number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

bool switch_value(const std::string& key, const std::string& value) {
  if (value == "1" || value == "true" || value == "yes" || value == "on") return true;
  if (value == "0" || value == "false" || value == "no" || value == "off") return false;
  refuse(key, value, "1 or 0");
}

double seconds(const std::string& key, const std::string& value) {
  const auto parsed = number<double>(value);
  if (!parsed || !(*parsed > 0) || *parsed > kLongestTimeLimit)
    refuse(key, value, fmt::format("a number of seconds above 0 and up to {}", kLongestTimeLimit));
  return *parsed;
}

std::string mapper(const std::string& key, const std::string& value) {
  const auto known = mapper_names();
  if (std::find(known.begin(), known.end(), value) == known.end())
    refuse(key, value, fmt::format("a mapper; known are {}", fmt::join(known, ", ")));
  return value;
}

Objective objective(const std::string& key, const std::string& value) {
  try {
    return parse_objective(value);
  } catch (const Error& e) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: {}", key, e.what()));
  }
}

}  // namespace

void Settings::set(const std::string& key, const std::string& value) {
  if (key == "graph") {
    graph = value;
  } else if (key == "topology") {
    topology = value;
  } else if (key == "outages") {
    outages = value;
  } else if (key == "health") {
    health = value;
  } else if (key == "horizon") {
    horizon = value.empty() ? 0 : parse_duration(value);
    if (!horizon) refuse(key, value, "a time, such as 90s, 1h30m or 1-12:00:00");
  } else if (key == "gres") {
    place.needs = parse_resource_needs(value);
  } else if (key == "objective") {
    place.objective = objective(key, value);
  } else if (key == "mapper") {
    place.mapper = mapper(key, value);
  } else if (key == "time_limit") {
    place.time_limit_seconds = seconds(key, value);
  } else if (key == "seed") {
    const auto parsed = number<std::uint64_t>(value);
    if (!parsed) refuse(key, value, "a non-negative integer");
    place.seed = *parsed;
  } else if (key == "strict") {
    strict = switch_value(key, value);
  } else if (key == "report") {
    report = switch_value(key, value);
  } else if (key == "spawn") {
    spawn = switch_value(key, value);
  } else if (key == "query_program") {
    query_program = value;
  } else {
    throw Error(ErrorKind::bad_input, fmt::format("unknown key \"{}\"", key));
  }
}

Settings read_settings(const tofa_job& job) {
  Settings settings;
  for (std::size_t i = 0; i < job.setting_count; ++i)
    settings.set(job.settings[i].key, job.settings[i].value);
  return settings;
}

}  // namespace tofa::planner
