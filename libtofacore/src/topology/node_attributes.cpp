// SPDX-License-Identifier: BSD-3-Clause
// Reading resources of nodes: see node_attributes.hpp.
#include "topology/node_attributes.hpp"

#include <fmt/core.h>

#include "base/toml_section.hpp"
#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"

namespace tofa {
namespace {

constexpr std::int64_t kMostUnits = 1'000'000;

}  // namespace

void NodeAttributes::fail(const toml::node& node, const std::string& message) const {
  fail_at(node, file_, message);
}

// The resources that a table gives to the hosts it names.
void NodeAttributes::read(const toml::table& table, const char* names_key) {
  const toml::node* list = table.get(names_key);
  const auto text = list == nullptr ? std::nullopt : list->value_exact<std::string>();
  if (!text) fail(table, fmt::format("gres without hosts; add {} = \"...\"", names_key));
  std::vector<std::string> hosts;
  try {
    hosts = expand_hostlist(*text);
  } catch (const Error& error) {
    fail(*list, error.what());
  }
  const toml::table* resources = table["gres"].as_table();
  if (resources == nullptr)
    fail(table, "gres is not a table of resources such as { fpga = 2 }; write gres = { fpga = 2 }");
  for (const auto& [name, value] : *resources) {
    const auto count = value.value_exact<std::int64_t>();
    if (!count || *count < 0 || *count > kMostUnits) {
      fail(value, fmt::format("resource \"{}\" must be a whole number from 0 to {}", name.str(),
                              kMostUnits));
    }
    entries_.push_back(
        {value.source().begin.line, hosts, std::string(name.str()), static_cast<unsigned>(*count)});
  }
}

NodeAttributes::NodeAttributes(toml::table& root, const std::string& file) : file_(file) {
  if (const toml::node* node = root.get("attributes")) {
    const toml::array* tables = node->as_array();
    if (tables == nullptr) fail(*node, "write each as its own [[attributes]] with nodes and gres");
    for (const toml::node& item : *tables) {
      const toml::table* table = item.as_table();
      if (table == nullptr) fail(item, "write each as its own [[attributes]] with nodes and gres");
      for (const auto& [key, value] : *table) {
        if (key == "nodes" || key == "gres") continue;
        fail(value,
             fmt::format("unknown key \"{}\" in [[attributes]]; known are nodes, gres", key.str()));
      }
      read(*table, "nodes");
    }
    root.erase("attributes");
  }
  toml::array* nodes = root["node"].as_array();
  if (nodes == nullptr) return;
  for (auto it = nodes->begin(); it != nodes->end();) {
    toml::table* table = it->as_table();
    if (table == nullptr || !table->contains("gres")) {
      ++it;
      continue;
    }
    read(*table, "name");
    table->erase("gres");
    // What is left of an entry says where the node is, if anything.
    it = table->size() > 1 ? std::next(it) : nodes->erase(it);
  }
  if (nodes->empty()) root.erase("node");
}

void NodeAttributes::apply(Topology& topology) const {
  for (const Entry& entry : entries_) {
    for (const std::string& host : entry.hosts) {
      const auto node = topology.find(host);
      if (!node) {
        throw Error(ErrorKind::bad_input, file_, entry.line,
                    fmt::format("node \"{}\" has resource \"{}\", but no place in the topology; "
                                "add it to the nodes or leave it out",
                                host, entry.resource));
      }
      topology.set_resource(*node, entry.resource, entry.count);
    }
  }
}

}  // namespace tofa
