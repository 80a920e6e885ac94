// SPDX-License-Identifier: BSD-3-Clause
// The mapper's part of the table of settings, as C sees it; see keys.h. Nothing may be thrown
// across this border: what runs out of memory here finds no key.
#include "keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include <cstring>
#include <string>
#include <vector>

#include "tofa/settings.hpp"
#include "tofa/text.hpp"

namespace {

// ompi_info shows the help and the default value, and knows nothing else of a setting.
std::string help_of(const tofa::Setting& setting) {
  std::string help = setting.help;
  const auto words = tofa::known_words(setting);
  if (!words.empty()) help += fmt::format(" ({})", fmt::join(words, ", "));
  if (setting.otherwise != nullptr) help += fmt::format("; without any, {}", setting.otherwise);
  if (setting.is_input) help += ". An empty value declines the default";
  return help;
}

struct KeyTable {
  std::vector<std::string> helps;  // which the keys point to
  std::vector<tofa_key> keys;

  KeyTable() {
    const auto settings = tofa::settings_of(tofa::FrontEnd::mapper);
    for (const tofa::Setting* setting : settings) helps.push_back(help_of(*setting));
    for (std::size_t i = 0; i < settings.size(); ++i) {
      keys.push_back({settings[i]->name, settings[i]->default_value, helps[i].c_str(),
                      settings[i]->level, settings[i]->is_switch()});
    }
  }
};

const std::vector<tofa_key>& all_keys() {
  static const KeyTable table;
  return table.keys;
}

}  // namespace

const tofa_key* tofa_all_keys(size_t* count) {
  *count = 0;
  try {
    *count = all_keys().size();
    return all_keys().data();
  } catch (...) {
    return nullptr;
  }
}

const tofa_key* tofa_find_key(const char* name, size_t length) {
  size_t count = 0;
  const tofa_key* keys = tofa_all_keys(&count);
  for (size_t i = 0; i < count; ++i) {
    if (std::strlen(keys[i].name) == length && strncasecmp(keys[i].name, name, length) == 0)
      return &keys[i];
  }
  return nullptr;
}

const tofa_key* tofa_closest_key(const char* name, size_t length) {
  try {
    const auto known = tofa::setting_names(tofa::FrontEnd::mapper);
    const std::string closest = tofa::closest_word({name, length}, known);
    return closest.empty() ? nullptr : tofa_find_key(closest.c_str(), closest.size());
  } catch (...) {
    return nullptr;
  }
}

char* tofa_list_keys(void) {
  try {
    const auto known = tofa::setting_names(tofa::FrontEnd::mapper);
    return strdup(fmt::format("{}", fmt::join(known, ", ")).c_str());
  } catch (...) {
    return nullptr;
  }
}
