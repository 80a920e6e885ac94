// SPDX-License-Identifier: BSD-3-Clause
// Site defaults: the environment wins over the site file, key by key.
#include "tofa/site.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "base/toml_section.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/health_query.hpp"
#include "tofa/text.hpp"

namespace tofa {

namespace {

const std::map<std::string, std::string SiteDefaults::*> kDefaults = {
    {"topology", &SiteDefaults::topology},
    {"outages", &SiteDefaults::outages},
    {"health", &SiteDefaults::health},
    {"health_key", &SiteDefaults::health_key},
    {"health_key_user", &SiteDefaults::health_key_user},
    {"health_max_age", &SiteDefaults::health_max_age},
    {"machine", &SiteDefaults::machine},
    {"link_load", &SiteDefaults::link_load},
};

constexpr const char* kNoKey = "none";
constexpr const char* kMunge = "munge";
constexpr double kLongestMaxAge = 86'400;

std::vector<std::string> known_keys() {
  std::vector<std::string> keys;
  keys.reserve(kDefaults.size());
  for (const auto& [key, value] : kDefaults) keys.push_back(key);
  return keys;
}

// TOFA_TOPOLOGY for the key topology.
std::string variable(const std::string& key) {
  std::string name = "TOFA_";
  for (const char c : key) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A relative file name in the site file is relative to that file, not to where a job happens to
// start.
std::string beside(const std::string& site_file, const std::string& file) {
  if (file.empty() || file.front() == '/') return file;
  const std::size_t slash = site_file.rfind('/');
  return slash == std::string::npos ? file : site_file.substr(0, slash + 1) + file;
}

// A user's number is a number, too.
bool is_number_or_text(std::string_view key) {
  return key == "health_max_age" || key == "health_key_user";
}

bool names_file(std::string_view key, std::string_view value) {
  if (key == "machine") return value != "local" && value.find(':') == std::string_view::npos;
  if (key == "health_key") {
    return value != kNoKey && value != kMunge && !value.starts_with(std::string(kMunge) + ":");
  }
  if (key == "link_load") return value.find("://") == std::string_view::npos;
  return key != "health" && !is_number_or_text(key);
}

// What the site file at `path` says.
void set_file(SiteDefaults& defaults, const std::string& key, const std::string& value,
              const std::string& path) {
  set_default(defaults, key, names_file(key, value) ? beside(path, value) : value, path);
}

SiteDefaults parse_site_file(const std::string& path) {
  const std::string text = read_file(path, {.max_bytes = 1 << 20});
  const toml::table table = parse_toml(require_text(text, path), path);
  SiteDefaults defaults;
  for (const auto& [key, node] : table) {
    if (const toml::table* section = node.as_table()) {
      // What other programs keep here; and how link loads are meant, with where they are.
      const toml::node* source = key.str() == "link_load" ? section->get("source") : nullptr;
      if (source != nullptr && source->is_string())
        set_file(defaults, "link_load", source->as_string()->get(), path);
      continue;
    }
    const auto known = kDefaults.find(std::string(key.str()));
    if (known == kDefaults.end()) {
      fail_at(node, path,
              fmt::format("unknown key {}; known are {}", excerpt(key.str()),
                          fmt::join(known_keys(), ", ")));
    }
    const auto* number = is_number_or_text(key.str()) ? node.as_integer() : nullptr;
    const auto* value = node.as_string();
    if (number != nullptr) {
      set_default(defaults, known->first, std::to_string(number->get()), path);
      continue;
    }
    if (value == nullptr) {
      fail_at(node, path,
              fmt::format("{} must be a string, as in {} = \"...\"", key.str(), key.str()));
    }
    set_file(defaults, known->first, value->get(), path);
  }
  return defaults;
}

}  // namespace

std::string site_file_path() {
  const std::string file = environment("TOFA_SITE_FILE");
  return file.empty() ? "/etc/tofa/tofa.toml" : file;
}

SiteDefaults load_environment_defaults() {
  SiteDefaults defaults;
  for (const auto& [key, value] : kDefaults) {
    const std::string name = variable(key);
    defaults.*value = environment(name.c_str());
    if (!(defaults.*value).empty()) defaults.named_by[key] = name;
  }
  return defaults;
}

void set_default(SiteDefaults& defaults, const std::string& key, const std::string& value,
                 const std::string& named_by) {
  defaults.*(kDefaults.at(key)) = value;
  defaults.named_by[key] = named_by;
}

SiteDefaults merge_defaults(const SiteDefaults& preferred, SiteDefaults others) {
  for (const auto& [key, value] : kDefaults) {
    if ((preferred.*value).empty()) continue;
    others.*value = preferred.*value;
    others.named_by[key] = preferred.named_by.at(key);
  }
  return others;
}

HealthQuery trusted_by(const SiteDefaults& defaults, HealthQuery query) {
  if (defaults.health_key != kNoKey) query.key = defaults.health_key;
  query.key_user = defaults.health_key_user;
  if (defaults.health_max_age.empty()) return query;
  const auto seconds = parse_number<double>(defaults.health_max_age);
  if (!seconds || !(*seconds >= 1 && *seconds <= kLongestMaxAge)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: health_max_age is {}, and not a number of seconds from 1 to {}",
                            defaults.named_by.at("health_max_age"),
                            excerpt(defaults.health_max_age), kLongestMaxAge));
  }
  query.max_signature_age_seconds = *seconds;
  return query;
}

SiteDefaults load_site_defaults() {
  const std::string file = site_file_path();
  return merge_defaults(load_environment_defaults(),
                        path_exists(file) ? parse_site_file(file) : SiteDefaults{});
}

}  // namespace tofa
