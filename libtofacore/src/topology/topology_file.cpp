// SPDX-License-Identifier: BSD-3-Clause
// Values that several kinds of topology read from their file: host lists, numbers, hop_cost.
#include <fmt/core.h>

#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"
#include "topology/kinds.hpp"

namespace tofa {

std::vector<std::string> TopologyFile::expand(const toml::node& node, std::string_view what,
                                              std::size_t limit) const {
  const auto list = node.value_exact<std::string>();
  if (!list) fail(node, fmt::format("{} is not a host list such as \"n[000-511]\"", what));
  try {
    return expand_hostlist(*list, limit);
  } catch (const Error& error) {
    fail(node, fmt::format("{}: {}", what, error.what()));
  }
}

std::vector<std::string> TopologyFile::hosts(const toml::table& table, std::string_view key,
                                             std::size_t limit) const {
  const toml::node* node = table.get(key);
  return node == nullptr ? std::vector<std::string>() : expand(*node, key, limit);
}

unsigned TopologyFile::number(std::string_view key, unsigned least, unsigned most,
                              std::optional<unsigned> missing) const {
  const toml::node* node = topology.get(key);
  if (node == nullptr) {
    if (missing) return *missing;
    fail(topology, fmt::format("[topology] has no {}; add {} = NUMBER", key, key));
  }
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < least || *value > most) {
    fail(*node, fmt::format("{} must be a whole number from {} to {}", key, least, most));
  }
  return static_cast<unsigned>(*value);
}

std::vector<unsigned> TopologyFile::numbers(std::string_view key, unsigned least, unsigned most,
                                            std::string_view item, std::string_view list) const {
  const toml::node* node = topology.get(key);
  if (node == nullptr) return {};
  const toml::array* array = node->as_array();
  if (array == nullptr) fail(*node, fmt::format("{} is not a list of {}", key, list));
  std::vector<unsigned> result;
  for (const toml::node& element : *array) {
    const auto value = element.value_exact<std::int64_t>();
    if (!value || *value < least || *value > most) {
      fail(element, fmt::format("{} has {} that is not a whole number from {} to {}", key, item,
                                least, most));
    }
    result.push_back(static_cast<unsigned>(*value));
  }
  return result;
}

double TopologyFile::hop_cost() const {
  const toml::node* node = topology.get("hop_cost");
  if (node == nullptr) return 1;
  const auto cost = node->value<double>();
  if (!cost || !(*cost > 0) || !(*cost <= 1e9)) {
    fail(*node, "hop_cost must be a number above 0 and at most 1e9");
  }
  return *cost;
}

std::vector<std::string> TopologyFile::node_names() const {
  auto names = hosts(topology, "nodes");
  if (names.empty()) fail(topology, "no nodes; add nodes = \"n[000-511]\"");
  return names;
}

void TopologyFile::check_room(std::size_t names, std::uint64_t places) const {
  if (names <= places) return;
  fail(*topology.get("nodes"),
       fmt::format("nodes names {} hosts, but the network has only {} places for nodes", names,
                   places));
}

}  // namespace tofa
