// SPDX-License-Identifier: BSD-3-Clause
// The torus and mesh parts of a topology file.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <unordered_map>
#include <unordered_set>

#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"
#include "topology/grid.hpp"
#include "topology/kinds.hpp"

namespace tofa {
namespace {

constexpr std::string_view kDimensionLetters = "xyzuvw";

std::vector<unsigned> read_shape(const TopologyFile& file) {
  const toml::node* node = file.topology.get("shape");
  if (node == nullptr) {
    file.fail(file.topology, "[topology] has no shape; add the extents, e.g. shape = [8, 8, 8]");
  }
  const toml::array* array = node->as_array();
  if (array == nullptr) file.fail(*node, "shape is not a list of extents such as [8, 8, 8]");
  std::vector<unsigned> shape;
  for (const toml::node& item : *array) {
    const auto extent = item.value_exact<std::int64_t>();
    if (!extent || *extent < 1 || *extent > 65535) {
      file.fail(item, "shape has an extent that is not a whole number from 1 to 65535");
    }
    shape.push_back(static_cast<unsigned>(*extent));
  }
  return shape;
}

std::vector<bool> read_wrap(const TopologyFile& file, std::size_t dims) {
  const toml::node* node = file.topology.get("wrap");
  if (node == nullptr) return {};
  if (const auto all = node->value_exact<bool>()) return std::vector<bool>(dims, *all);
  const toml::array* array = node->as_array();
  if (array == nullptr || array->size() != dims) {
    file.fail(*node, fmt::format("wrap needs {} values, one true or false per dimension", dims));
  }
  std::vector<bool> wrap;
  for (const toml::node& item : *array) {
    const auto value = item.value_exact<bool>();
    if (!value) file.fail(item, "wrap has a value that is neither true nor false");
    wrap.push_back(*value);
  }
  return wrap;
}

std::vector<unsigned> read_order(const TopologyFile& file, std::size_t dims) {
  const toml::node* node = file.topology.get("order");
  if (node == nullptr) return {};
  const std::string_view letters = kDimensionLetters.substr(0, dims);
  const auto text = node->value_exact<std::string>();
  std::vector<unsigned> order;
  std::vector<bool> seen(dims);
  for (const char letter : text.value_or("")) {
    const std::size_t dim = letters.find(letter);
    if (dim == std::string_view::npos || seen[dim]) break;
    seen[dim] = true;
    order.push_back(static_cast<unsigned>(dim));
  }
  if (!text || order.size() != dims || text->size() != dims) {
    file.fail(
        *node,
        fmt::format(
            "order must name each of the dimensions \"{}\" once, in the order they are routed",
            letters));
  }
  return order;
}

TieRule read_tie(const TopologyFile& file) {
  const toml::node* node = file.topology.get("tie");
  if (node == nullptr) return TieRule::positive;
  const auto text = node->value_exact<std::string>();
  if (text == "positive") return TieRule::positive;
  if (text == "destination-parity") return TieRule::destination_parity;
  if (text == "simgrid") return TieRule::simgrid;
  file.fail(*node, "tie must be \"positive\", \"destination-parity\" or \"simgrid\"");
}

// Names in order, for the positions 0, 1, 2, ...
void read_nodes(const TopologyFile& file, std::uint64_t positions, GridSpec& spec) {
  const toml::node* node = file.topology.get("nodes");
  if (node == nullptr) return;
  const auto list = node->value_exact<std::string>();
  if (!list) file.fail(*node, "nodes is not a host list such as \"n[000-511]\"");
  try {
    spec.names = expand_hostlist(*list);
  } catch (const Error& error) {
    file.fail(*node, fmt::format("nodes: {}", error.what()));
  }
  if (spec.names.size() > positions) {
    file.fail(*node, fmt::format("nodes names {} hosts, but shape [{}] has only {} positions; "
                                 "enlarge the shape or shorten the list",
                                 spec.names.size(), fmt::join(spec.shape, ","), positions));
  }
  for (std::size_t i = 0; i < spec.names.size(); ++i) {
    spec.positions.push_back(static_cast<std::uint32_t>(i));
  }
}

std::uint32_t read_position(const TopologyFile& file, const toml::table& entry,
                            const std::string& name, const GridSpec& spec) {
  const toml::node* at = entry.get("at");
  const toml::array* array = at == nullptr ? nullptr : at->as_array();
  if (array == nullptr || array->size() != spec.shape.size()) {
    file.fail(
        at == nullptr ? static_cast<const toml::node&>(entry) : *at,
        fmt::format("node \"{}\" needs {} coordinates; add at = [...]", name, spec.shape.size()));
  }
  std::vector<std::int64_t> coordinates;
  for (const toml::node& item : *array) {
    const auto value = item.value_exact<std::int64_t>();
    if (!value)
      file.fail(item, fmt::format("node \"{}\" has a coordinate that is not a whole number", name));
    coordinates.push_back(*value);
  }
  std::uint64_t position = 0;
  std::uint64_t stride = 1;
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    if (coordinates[d] < 0 || coordinates[d] >= spec.shape[d]) {
      file.fail(*at, fmt::format("node \"{}\" has coordinates [{}] outside shape [{}]", name,
                                 fmt::join(coordinates, ","), fmt::join(spec.shape, ",")));
    }
    position += static_cast<std::uint64_t>(coordinates[d]) * stride;
    stride *= spec.shape[d];
  }
  return static_cast<std::uint32_t>(position);
}

// [[node]] entries: places of their own, instead of or over `nodes`.
void read_node_entries(const TopologyFile& file, GridSpec& spec) {
  const toml::node* node = file.root.get("node");
  if (node == nullptr) return;
  const toml::array* entries = node->as_array();
  if (entries == nullptr) file.fail(*node, "write each node as its own [[node]] with name and at");
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < spec.names.size(); ++i) index.emplace(spec.names[i], i);
  std::unordered_set<std::string> explicit_names;
  for (const toml::node& item : *entries) {
    const toml::table* entry = item.as_table();
    if (entry == nullptr) file.fail(item, "write each node as its own [[node]] with name and at");
    file.check_keys(*entry, "[[node]]", {"name", "at"});
    const auto name = (*entry)["name"].value_exact<std::string>();
    if (!name || name->empty()) file.fail(*entry, "[[node]] has no name; add name = \"...\"");
    if (!explicit_names.insert(*name).second) {
      file.fail(*entry, fmt::format("node \"{}\" has a second [[node]] entry; keep one", *name));
    }
    const std::uint32_t position = read_position(file, *entry, *name, spec);
    const auto [it, is_new] = index.emplace(*name, spec.names.size());
    if (is_new) {
      spec.names.push_back(*name);
      spec.positions.push_back(position);
    } else {
      spec.positions[it->second] = position;
    }
  }
}

std::unique_ptr<Topology> make_grid(const TopologyFile& file, std::string kind, bool wraps) {
  file.check_keys(file.topology, "[topology]",
                  {"kind", "shape", "nodes", "wrap", "order", "tie", "hop_cost"});
  file.check_keys(file.root, "the file", {"topology", "node"});
  GridSpec spec;
  spec.kind = std::move(kind);
  spec.shape = read_shape(file);
  try {
    complete_grid_spec(spec, wraps);
  } catch (const Error& error) {
    file.fail(*file.topology.get("shape"), error.what());
  }
  if (const auto wrap = read_wrap(file, spec.shape.size()); !wrap.empty()) spec.wrap = wrap;
  if (const auto order = read_order(file, spec.shape.size()); !order.empty()) spec.order = order;
  spec.tie = read_tie(file);
  spec.hop_cost = file.hop_cost();
  std::uint64_t positions = 1;
  for (const unsigned extent : spec.shape) positions *= extent;
  read_nodes(file, positions, spec);
  read_node_entries(file, spec);
  if (spec.names.empty()) {
    file.fail(file.topology, "no nodes; add nodes = \"n[000-511]\" or [[node]] entries");
  }
  try {
    return std::make_unique<GridTopology>(std::move(spec));
  } catch (const Error& error) {
    throw Error(error.kind(), file.name, file.topology.source().begin.line, error.what());
  }
}

}  // namespace

std::unique_ptr<Topology> make_torus(const TopologyFile& file) {
  return make_grid(file, "torus", true);
}
std::unique_ptr<Topology> make_mesh(const TopologyFile& file) {
  return make_grid(file, "mesh", false);
}

}  // namespace tofa
