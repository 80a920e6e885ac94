// SPDX-License-Identifier: BSD-3-Clause
// Reads the file section by section, makes one list of hosts from [hosts] and [[host]], and refuses
// what contradicts itself, such as two hosts at one address.
#include "healthd/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "base/toml_section.hpp"
#include "common/protocol.hpp"
#include "healthd/control_socket.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/host_index.hpp"
#include "tofa/hostlist.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kMostHosts = 100'000;

// The table called `key`, or an empty one.
const toml::table& table_of(const toml::table& document, std::string_view key,
                            const std::string& file) {
  static const toml::table empty;
  const toml::node* node = document.get(key);
  if (node == nullptr) return empty;
  if (!node->is_table()) {
    fail_at(*node, file, fmt::format("\"{0}\" is not a table; write [{0}]", key));
  }
  return *node->as_table();
}

void read_sources(const toml::table& document, const std::string& file, HealthdConfig& config) {
  for (const SourceKind* kind : source_kinds()) {
    TomlSection section(table_of(document, kind->section, file), file,
                        fmt::format("[{}]", kind->section));
    if (SourceMaker maker = kind->configure(section, config)) {
      config.sources.push_back(std::move(maker));
    }
  }
  if (config.sources.empty()) {
    fail_at(table_of(document, "poll", file), file,
            "no source of health is switched on; set [poll] heartbeats = true, [slurm] enabled = "
            "true, [folder] path or [prometheus] url");
  }
}

void refuse_other_sections(const toml::table& document, const std::string& file) {
  std::vector<std::string> known;
  for (const SourceKind* kind : source_kinds()) known.emplace_back(kind->section);
  known.insert(known.end(),
               {"estimate", "network", "state", "control", "classes", "hosts", "host"});
  for (const auto& [key, node] : document) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    known.pop_back();
    fail_at(node, file,
            fmt::format("unknown section \"{}\"; known are: [{}], [[host]]", key.str(),
                        fmt::join(known, "], [")));
  }
}

void read_estimate(TomlSection section, HealthdConfig& config) {
  config.estimator.method = "gamma";
  section.text("method", config.estimator.method);
  section.integer("window", 1, 100'000, config.estimator.window);
  section.number("half_life", 0.1, 1e9, config.estimator.half_life);
  section.number("half_life_days", 0.1, 100'000, config.estimator.half_life_days);
  section.number("floor", 0, 1, config.floor);
  section.integer("down_after", 1, 1'000'000, config.down_after);
  section.integer("rate_days", 1, 365, config.rate_days);
  section.refuse_other_keys();
  try {
    make_estimator(config.estimator);
  } catch (const Error& error) {
    section.fail("method", error.what());
  }
}

void read_network(TomlSection section, HealthdConfig& config) {
  section.number("share", 0.01, 1, config.network.share);
  section.number("patience", 0, 1e9, config.network.patience);
  section.text("topology", config.network.topology);
  section.refuse_other_keys();
}

void read_state(TomlSection section, HealthdConfig& config) {
  section.text("database", config.database);
  section.text("snapshot", config.snapshot);
  section.integer("history_days", 1, 36'500, config.history_days);
  section.number("save", 0.05, 3600, config.save);
  section.refuse_other_keys();
}

void read_control(TomlSection section, HealthdConfig& config) {
  auto& [socket, group] = config.control;
  section.text("socket", socket);
  section.text("group", group);
  section.refuse_other_keys();
  if (!socket.empty() && (socket.front() != '/' || socket.size() > kLongestSocketPath)) {
    section.fail("socket",
                 fmt::format("a path from / of at most {} bytes is expected", kLongestSocketPath));
  }
  if (socket.empty() && !group.empty()) {
    section.fail("group", "there is no socket for it; add socket = \"...\"");
  }
}

// Collects hosts and refuses the same name or address twice.
class HostCollector {
 public:
  HostCollector(std::string pattern, std::uint16_t port)
      : pattern_(std::move(pattern)), port_(port) {}

  // From the list of [hosts]. Throws Error without file and line.
  void add_listed(const std::string& name) {
    if (!index_.emplace(name, hosts_.size()).second) {
      throw Error(ErrorKind::bad_input, fmt::format("host \"{}\" is listed twice", name));
    }
    hosts_.push_back({name, address_of(name, pattern_)});
  }

  // From a [[host]], which also replaces the address of a listed host.
  void add_single(const std::string& name, const std::string& address) {
    const HostPort where = address_of(name, address.empty() ? pattern_ : address);
    if (!single_.emplace(name, 0).second) {
      throw Error(ErrorKind::bad_input, fmt::format("host \"{}\" has two [[host]] entries", name));
    }
    const auto [known, is_new] = index_.emplace(name, hosts_.size());
    if (is_new) {
      hosts_.push_back({name, where});
    } else {
      hosts_[known->second].address = where;
    }
  }

  std::vector<HostConfig> finish() {
    std::unordered_map<std::string, std::string> owners;
    for (const HostConfig& host : hosts_) {
      const std::string address = fmt::format("{}:{}", host.address.host, host.address.port);
      const auto [owner, is_new] = owners.emplace(address, host.name);
      if (!is_new) {
        throw Error(ErrorKind::bad_input,
                    fmt::format("hosts \"{}\" and \"{}\" have the same address {}; put %h into "
                                "`address` or give each a [[host]] entry",
                                owner->second, host.name, address));
      }
    }
    return std::move(hosts_);
  }

 private:
  HostPort address_of(const std::string& name, std::string pattern) const {
    if (!is_host_name(name)) {
      throw Error(
          ErrorKind::bad_input,
          fmt::format("\"{}\" is no host name: letters, digits, and . - _ are allowed", name));
    }
    for (std::size_t at = 0; (at = pattern.find("%h", at)) != std::string::npos;
         at += name.size()) {
      pattern.replace(at, 2, name);
    }
    return split_host_port(pattern, port_);
  }

  std::string pattern_;
  std::uint16_t port_;
  std::vector<HostConfig> hosts_;
  std::unordered_map<std::string, std::size_t> index_;
  std::unordered_map<std::string, int> single_;
};

void read_single_hosts(const toml::table& document, const std::string& file, HostCollector& hosts) {
  const toml::node* node = document.get("host");
  if (node == nullptr) return;
  if (!node->is_array_of_tables()) {
    fail_at(*node, file, "\"host\" is not an array of tables; write [[host]]");
  }
  for (const toml::node& entry : *node->as_array()) {
    TomlSection section(*entry.as_table(), file, "[[host]]");
    std::string name;
    std::string address;
    section.text("name", name);
    section.text("address", address);
    section.refuse_other_keys();
    if (name.empty()) section.fail("", "has no name; add name = \"...\"");
    try {
      hosts.add_single(name, address);
    } catch (const Error& error) {
      section.fail("", error.what());
    }
  }
}

void read_hosts(const toml::table& document, const std::string& file, HealthdConfig& config) {
  TomlSection section(table_of(document, "hosts", file), file, "[hosts]");
  std::string list;
  std::string pattern = "%h";
  unsigned port = kDefaultAgentPort;
  section.text("list", list);
  section.text("address", pattern);
  section.integer("port", 1, 65535, port);
  section.refuse_other_keys();
  HostCollector hosts(pattern, static_cast<std::uint16_t>(port));
  try {
    if (!list.empty()) {
      for (const std::string& name : expand_hostlist(list, kMostHosts)) hosts.add_listed(name);
    }
  } catch (const Error& error) {
    section.fail("list", error.what());
  }
  read_single_hosts(document, file, hosts);
  try {
    config.hosts = hosts.finish();
  } catch (const Error& error) {
    section.fail("address", error.what());
  }
  if (config.hosts.empty() || config.hosts.size() > kMostHosts) {
    throw Error(ErrorKind::bad_input, file, section.line(),
                fmt::format("{} hosts to poll; give 1 to {} with [hosts] list = \"n[000-511]\" or "
                            "[[host]] entries",
                            config.hosts.size(), kMostHosts));
  }
}

// [classes]: a name, and a list of hosts that are configured.
void read_classes(const toml::table& document, const std::string& file, HealthdConfig& config) {
  std::unordered_map<std::string, HostConfig*> hosts;
  for (HostConfig& host : config.hosts) hosts.emplace(host.name, &host);
  for (const auto& [key, node] : table_of(document, "classes", file)) {
    const std::string name(key.str());
    const auto fail = [&, &where = node](const std::string& what) {
      fail_at(where, file, fmt::format("[classes] {}: {}", name, what));
    };
    const auto* list = node.as_string();
    if (list == nullptr) fail(fmt::format("write {} = \"n[000-063]\", a list of hosts", name));
    try {
      for (const std::string& host : expand_hostlist(list->get(), kMostHosts)) {
        const auto found = hosts.find(host);
        if (found == hosts.end()) {
          fail(fmt::format("no host \"{}\" is configured in [hosts] or as a [[host]]", host));
        }
        std::string& host_class = found->second->host_class;
        if (!host_class.empty()) {
          fail(fmt::format("host \"{}\" is in class \"{}\" already", host, host_class));
        }
        host_class = name;
      }
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with(file)) throw;
      fail(error.what());
    }
  }
}

}  // namespace

std::vector<std::string> names_of(const std::vector<HostConfig>& hosts) {
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const HostConfig& host : hosts) names.push_back(host.name);
  return names;
}

HealthdConfig parse_config(std::string_view text, const std::string& name) {
  const toml::table document = parse_toml(text, name);
  HealthdConfig config;
  const auto section = [&](std::string_view key) {
    return TomlSection(table_of(document, key, name), name, fmt::format("[{}]", key));
  };
  read_sources(document, name, config);
  read_estimate(section("estimate"), config);
  read_network(section("network"), config);
  read_state(section("state"), config);
  read_control(section("control"), config);
  read_hosts(document, name, config);
  read_classes(document, name, config);
  refuse_other_sections(document, name);
  if (config.drain.mode != DrainMode::never && config.estimator.method != "gamma") {
    section("slurm").fail("drain",
                          "needs method = \"gamma\" in [estimate], which knows how sure it is");
  }
  return config;
}

HealthdConfig read_config(const std::string& path) {
  std::string text;
  try {
    text = read_file(path, {.max_bytes = 64U << 20});
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}; --config names the configuration", error.what()));
  }
  return parse_config(text, path);
}

}  // namespace tofa::health
