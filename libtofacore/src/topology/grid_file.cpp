// SPDX-License-Identifier: BSD-3-Clause
// The torus and mesh parts of a topology file.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "tofa/error.hpp"
#include "topology/grid_topology.hpp"
#include "topology/kinds.hpp"

namespace tofa {
namespace {

constexpr std::string_view kDimensionLetters = "xyzuvw";
constexpr std::size_t kMostGridNodes = 4'000'000;

std::vector<unsigned> read_shape(const TopologyFile& file) {
  if (!file.topology.contains("shape")) {
    file.fail(file.topology, "[topology] has no shape; add the extents, e.g. shape = [8, 8, 8]");
  }
  return file.numbers("shape", 1, 65535, "an extent", "extents such as [8, 8, 8]");
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
void read_nodes(const TopologyFile& file, GridSpec& spec) {
  const std::size_t positions = Grid(spec.shape, spec.wrap).positions();
  spec.names = file.hosts(file.topology, "nodes", kMostGridNodes);
  if (spec.names.size() > positions) {
    file.fail(*file.topology.get("nodes"),
              fmt::format("nodes names {} hosts, but shape [{}] has only {} positions; "
                          "enlarge the shape or shorten the list",
                          spec.names.size(), fmt::join(spec.shape, ","), positions));
  }
  spec.positions.resize(spec.names.size());
  std::iota(spec.positions.begin(), spec.positions.end(), 0U);
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
  bool outside = false;
  for (const toml::node& item : *array) {
    const auto value = item.value_exact<std::int64_t>();
    if (!value)
      file.fail(item, fmt::format("node \"{}\" has a coordinate that is not a whole number", name));
    outside |= *value < 0 || *value >= spec.shape[coordinates.size()];
    coordinates.push_back(*value);
  }
  if (outside) {
    file.fail(*at, fmt::format("node \"{}\" has coordinates [{}] outside shape [{}]", name,
                               fmt::join(coordinates, ","), fmt::join(spec.shape, ",")));
  }
  const std::vector<unsigned> place(coordinates.begin(), coordinates.end());
  return Grid(spec.shape, spec.wrap).position(place);
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
  read_nodes(file, spec);
  read_node_entries(file, spec);
  if (spec.names.empty()) {
    file.fail(file.topology, "no nodes; add nodes = \"n[000-511]\" or [[node]] entries");
  }
  return file.build([&spec] { return std::make_unique<GridTopology>(std::move(spec)); });
}

std::unique_ptr<Topology> make_torus(const TopologyFile& file) {
  return make_grid(file, "torus", true);
}

std::unique_ptr<Topology> make_mesh(const TopologyFile& file) {
  return make_grid(file, "mesh", false);
}

}  // namespace

extern constexpr TopologyKind kTorusKind{"torus", make_torus};
extern constexpr TopologyKind kMeshKind{"mesh", make_mesh};

}  // namespace tofa
