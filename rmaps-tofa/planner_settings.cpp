// SPDX-License-Identifier: BSD-3-Clause
// Reading the values of the keys; see planner_settings.hpp.
#include "planner_settings.hpp"

#include <fmt/core.h>

#include <cstring>

#include "tofa/error.hpp"

namespace tofa::planner {
namespace {

void set(PlacementSettings& settings, const std::string& key, const std::string& value) {
  const Setting* setting = find_setting(key, FrontEnd::mapper);
  if (setting == nullptr) throw Error(ErrorKind::bad_input, fmt::format("unknown key \"{}\"", key));
  setting->set(settings, value);
}

// `time_limit="soon" is not ...`, but `effort: unknown effort "much"`.
std::string name_the_key(const std::string& key, const std::string& problem) {
  return fmt::format("{}{}{}", key, problem.starts_with('"') ? "=" : ": ", problem);
}

void check(const std::string& key, const std::string& value) {
  try {
    PlacementSettings settings;
    set(settings, key, value);
    place_options(settings);
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_input, name_the_key(key, error.what()));
  }
}

}  // namespace

Settings read_settings(const tofa_job& job) {
  Settings settings;
  for (std::size_t i = 0; i < job.setting_count; ++i)
    set(settings, job.settings[i].key, job.settings[i].value);
  settings.place = place_options(settings);
  return settings;
}

}  // namespace tofa::planner

extern "C" char* tofa_check_setting(const char* key, const char* value) {
  try {
    tofa::planner::check(key, value);
    return nullptr;
  } catch (const std::exception& e) {
    return strdup(e.what());
  } catch (...) {
    return strdup("unknown error");
  }
}
