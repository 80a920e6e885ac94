// SPDX-License-Identifier: BSD-3-Clause
// Reading virtual hosts: see virtual_hosts.hpp.
#include "topology/virtual_hosts.hpp"

#include <fmt/core.h>

#include <utility>

#include "base/toml_section.hpp"
#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"
#include "topology/hosted.hpp"

namespace tofa {
namespace {

constexpr const char* kHostForm = "write each as its own [[host]] with name and on";

}  // namespace

void VirtualHosts::fail(const toml::node& node, const std::string& message) const {
  fail_at(node, file_, message);
}

void VirtualHosts::read(const toml::node& item) {
  const toml::table* table = item.as_table();
  if (table == nullptr) fail(item, kHostForm);
  for (const auto& [key, value] : *table) {
    if (key == "name" || key == "on") continue;
    fail(value, fmt::format("unknown key \"{}\" in [[host]]; known are name, on", key.str()));
  }
  const auto name = (*table)["name"].value_exact<std::string>();
  const auto on = (*table)["on"].value_exact<std::string>();
  if (!name || !on) fail(*table, fmt::format("[[host]] lacks name or on; {}", kHostForm));
  try {
    entries_.push_back({table->source().begin.line, expand_hostlist(*name), *on});
  } catch (const Error& error) {
    fail(*table->get("name"), error.what());
  }
}

VirtualHosts::VirtualHosts(toml::table& root, const std::string& file) : file_(file) {
  const toml::node* node = root.get("host");
  if (node == nullptr) return;
  const toml::array* tables = node->as_array();
  if (tables == nullptr) fail(*node, kHostForm);
  for (const toml::node& item : *tables) read(item);
  root.erase("host");
}

std::unique_ptr<Topology> VirtualHosts::add_to(std::unique_ptr<Topology> topology) const {
  if (entries_.empty()) return topology;
  std::vector<std::string> names;
  std::vector<Node> hosts;
  for (const Entry& entry : entries_) {
    const auto host = topology->find(entry.on);
    if (!host) {
      throw Error(ErrorKind::bad_input, file_, entry.line,
                  fmt::format("virtual host \"{}\" runs on \"{}\", which is no node of the "
                              "network; name a physical node",
                              entry.names.empty() ? "" : entry.names.front(), entry.on));
    }
    names.insert(names.end(), entry.names.begin(), entry.names.end());
    hosts.insert(hosts.end(), entry.names.size(), *host);
  }
  try {
    return make_hosted_topology(std::move(topology), names, std::move(hosts));
  } catch (const Error& error) {
    throw Error(error.kind(), file_, entries_.front().line, error.what());
  }
}

}  // namespace tofa
