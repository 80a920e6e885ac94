// SPDX-License-Identifier: BSD-3-Clause
// Settings of the plugin: see settings.hpp.
#include "settings.hpp"

#include <fmt/core.h>

#include "tofa/text.hpp"

namespace tofa::spank {
namespace {

bool has(const Environment& environment, const char* name) {
  return environment.count(name) > 0;
}

bool is_on(const std::string& value) {
  return !value.empty() && value != "0" && value != "no";
}

void read(Settings& settings, const std::string& key, const std::string& value) {
  if (key == "tofa") {
    settings.program = value;
  } else if (key == "topology") {
    settings.topology = value;
  } else if (key == "outages") {
    settings.outages = value;
  } else if (key == "health") {
    settings.health = value;
  } else if (key == "objective") {
    settings.objective = value;
  } else if (key == "strict") {
    settings.strict = is_on(value);
  } else if (key == "time_limit") {
    const auto seconds = parse_number<double>(value);
    if (seconds && *seconds > 0 && *seconds <= 3600)
      settings.time_limit = *seconds;
    else
      settings.problems.push_back(
          fmt::format("time_limit={} is not a number of seconds up to 3600", value));
  } else {
    settings.problems.push_back(
        fmt::format("unknown key \"{}\"; known are tofa, topology, outages, health, objective, "
                    "time_limit, strict",
                    key));
  }
}

}  // namespace

Settings read_settings(const std::vector<std::string>& arguments, const Environment& environment) {
  Settings settings;
  for (const std::string& argument : arguments) {
    const std::size_t sign = argument.find('=');
    read(settings, argument.substr(0, sign),
         sign == std::string::npos ? "1" : argument.substr(sign + 1));
  }
  if (has(environment, "TOFA_TOPOLOGY")) settings.topology.clear();
  if (has(environment, "TOFA_OUTAGES") || has(environment, "TOFA_HEALTH")) {
    settings.outages.clear();
    settings.health.clear();
  }
  if (const auto strict = environment.find("SLURM_TOFA_STRICT"); strict != environment.end())
    settings.strict = is_on(strict->second);
  return settings;
}

}  // namespace tofa::spank
