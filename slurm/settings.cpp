// SPDX-License-Identifier: BSD-3-Clause
// Settings of the plugin: see settings.hpp.
#include "settings.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::spank {
namespace {

constexpr const char* kStrict = "SLURM_TOFA_STRICT";

bool has(const Environment& environment, const char* name) {
  return environment.count(name) > 0;
}

// `said` is what to call it where it is wrong.
void set(Settings& settings, const Setting& setting, const std::string& value,
         const std::string& said) {
  try {
    setting.set(settings, value);
    settings.given[setting.name] = value;
  } catch (const Error& error) {
    settings.problems.push_back(fmt::format("{} is ignored: {}", said, error.what()));
  }
}

// KEY=VALUE, or the key alone of a switch.
void read(Settings& settings, const std::string& argument) {
  const std::size_t sign = argument.find('=');
  const std::string key = argument.substr(0, sign);
  const Setting* setting = find_setting(key, FrontEnd::plugin);
  if (setting == nullptr) {
    const auto known = setting_names(FrontEnd::plugin);
    settings.problems.push_back(fmt::format("plugstack.conf: unknown key \"{}\"; known are {}{}",
                                            key, fmt::join(known, ", "), did_you_mean(key, known)));
    return;
  }
  if (sign == std::string::npos && !setting->is_switch()) {
    settings.problems.push_back(
        fmt::format("plugstack.conf: {0} is ignored: it needs a value: {0}=VALUE", key));
    return;
  }
  set(settings, *setting, sign == std::string::npos ? "1" : argument.substr(sign + 1),
      "plugstack.conf: " + argument);
}

void forget(Settings& settings, const char* key) {
  settings.given.erase(key);
  find_setting(key, FrontEnd::plugin)->set(settings, "");
}

// The user's environment goes first. Set to nothing, the variable for strictness switches it off.
void heed(Settings& settings, const Environment& environment) {
  if (has(environment, "TOFA_TOPOLOGY")) forget(settings, "topology");
  if (has(environment, "TOFA_LINK_LOAD")) forget(settings, "link_load");
  if (has(environment, "TOFA_OUTAGES") || has(environment, "TOFA_HEALTH")) {
    forget(settings, "outages");
    forget(settings, "health");
  }
  if (!has(environment, kStrict)) return;
  const std::string& strict = environment.at(kStrict);
  set(settings, *find_setting("strict", FrontEnd::plugin), strict.empty() ? "0" : strict,
      fmt::format("{}={}", kStrict, strict));
}

}  // namespace

Settings read_settings(const std::vector<std::string>& arguments, const Environment& environment) {
  Settings settings;
  for (const std::string& argument : arguments) read(settings, argument);
  heed(settings, environment);
  return settings;
}

}  // namespace tofa::spank
