// SPDX-License-Identifier: BSD-3-Clause
// kind = "tree": a [[switch]] for each switch, with the nodes and switches directly below it.
#include <fmt/core.h>

#include "topology/kinds.hpp"
#include "topology/tree.hpp"

namespace tofa {
namespace {

constexpr const char* kForm =
    "write each switch as its own [[switch]] with name, and nodes or switches";

SwitchEntry read_switch(const TopologyFile& file, const toml::node& item, std::size_t room) {
  const toml::table* entry = item.as_table();
  if (entry == nullptr) file.fail(item, kForm);
  file.check_keys(*entry, "[[switch]]", {"name", "nodes", "switches"});
  const auto name = (*entry)["name"].value_exact<std::string>();
  if (!name || name->empty()) file.fail(*entry, "[[switch]] has no name; add name = \"...\"");
  SwitchEntry result;
  result.name = *name;
  result.line = entry->source().begin.line;
  result.nodes = file.hosts(*entry, "nodes", room);
  result.switches = file.hosts(*entry, "switches", room - result.nodes.size());
  return result;
}

std::unique_ptr<Topology> make_tree(const TopologyFile& file) {
  file.check_keys(file.topology, "[topology]", {"kind", "hop_cost"});
  file.check_keys(file.root, "the file", {"topology", "switch"});
  std::vector<SwitchEntry> entries;
  std::size_t room = kMostNodes;
  if (const toml::node* node = file.root.get("switch")) {
    const toml::array* array = node->as_array();
    if (array == nullptr) file.fail(*node, kForm);
    for (const toml::node& item : *array) {
      entries.push_back(read_switch(file, item, room));
      room -= entries.back().nodes.size() + entries.back().switches.size();
    }
  }
  if (entries.empty()) file.fail(file.topology, std::string("no switches; ") + kForm);
  return make_tree_topology(entries, file.name, file.hop_cost());
}

}  // namespace

extern constexpr TopologyKind kTreeKind{"tree", make_tree};

}  // namespace tofa
