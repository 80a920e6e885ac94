// SPDX-License-Identifier: BSD-3-Clause
// Site defaults: the environment wins over the site file, key by key.
#include "tofa/site.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <cstdlib>
#include <string_view>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa {

namespace {

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

bool names_file(std::string_view key, std::string_view value) {
  if (key == "machine") return value != "local" && value.find(':') == std::string_view::npos;
  return key != "health";
}

SiteDefaults parse_site_file(const std::string& path) {
  const std::string text = read_file(path, {.max_bytes = 1 << 20});
  toml::table table;
  try {
    table = toml::parse(require_text(text, path));
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::bad_input, path, error.source().begin.line,
                std::string(error.description()));
  }
  SiteDefaults defaults;
  for (const auto& [key, node] : table) {
    if (node.is_table()) continue;  // what other programs keep here
    std::string* target = key == "topology"  ? &defaults.topology
                          : key == "outages" ? &defaults.outages
                          : key == "health"  ? &defaults.health
                          : key == "machine" ? &defaults.machine
                                             : nullptr;
    const std::size_t line = node.source().begin.line;
    if (target == nullptr) {
      throw Error(ErrorKind::bad_input, path, line,
                  fmt::format("unknown key {}; known are topology, outages, health and machine",
                              excerpt(key.str())));
    }
    const auto* value = node.as_string();
    if (value == nullptr) {
      throw Error(ErrorKind::bad_input, path, line,
                  fmt::format("{} must be a string, as in {} = \"...\"", key.str(), key.str()));
    }
    *target = names_file(key.str(), value->get()) ? beside(path, value->get()) : value->get();
  }
  return defaults;
}

}  // namespace

SiteDefaults load_site_defaults() {
  std::string file = environment("TOFA_SITE_FILE");
  if (file.empty()) file = "/etc/tofa/tofa.toml";
  SiteDefaults defaults = path_exists(file) ? parse_site_file(file) : SiteDefaults{};
  const auto prefer = [](std::string& value, const char* name) {
    if (const std::string set = environment(name); !set.empty()) value = set;
  };
  prefer(defaults.topology, "TOFA_TOPOLOGY");
  prefer(defaults.outages, "TOFA_OUTAGES");
  prefer(defaults.health, "TOFA_HEALTH");
  prefer(defaults.machine, "TOFA_MACHINE");
  return defaults;
}

}  // namespace tofa
