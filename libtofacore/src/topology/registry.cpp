// SPDX-License-Identifier: BSD-3-Clause
// The list of topology kinds, and reading a topology file: find its kind and hand it over.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"
#include "topology/kinds.hpp"
#include "topology/node_attributes.hpp"
#include "topology/virtual_hosts.hpp"

namespace tofa {

const std::vector<TopologyKind>& topology_registry() {
  static const std::vector<TopologyKind> kinds = {
      {"torus", make_torus}, {"mesh", make_mesh},         {"flat", make_flat},
      {"tree", make_tree},   {"fat-tree", make_fat_tree}, {"dragonfly", make_dragonfly},
      {"graph", make_graph},
  };
  return kinds;
}

void TopologyFile::fail(const toml::node& node, const std::string& message) const {
  throw Error(ErrorKind::bad_input, name, node.source().begin.line, message);
}

void TopologyFile::check_keys(const toml::table& table, std::string_view where,
                              const std::vector<std::string_view>& known) const {
  for (const auto& [key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
      fail(value, fmt::format("unknown key \"{}\" in {}; known are {}", key.str(), where,
                              fmt::join(known, ", ")));
    }
  }
}

namespace {

std::vector<std::string_view> topology_kinds() {
  std::vector<std::string_view> names;
  for (const TopologyKind& kind : topology_registry()) names.push_back(kind.name);
  return names;
}

toml::table parse_toml(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::bad_input, name, error.source().begin.line,
                std::string(error.description()));
  }
}

// Coordinate lines have neither tables nor assignments; TOML has one of them first.
bool looks_like_toml(std::string_view text) {
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trim(line);
    if (line.empty() || line.front() == '#') continue;
    return line.front() == '[' || line.find('=') != std::string_view::npos;
  }
  return true;
}

std::unique_ptr<Topology> make_from_toml(std::string_view text, const std::string& name) {
  toml::table root = parse_toml(text, name);
  const NodeAttributes attributes(root, name);
  const VirtualHosts virtual_hosts(root, name);
  const toml::table* topology = root["topology"].as_table();
  if (topology == nullptr) {
    throw Error(ErrorKind::bad_input, name, 0,
                "has no [topology] table; begin it with [topology], kind and shape");
  }
  const auto kind = (*topology)["kind"].value<std::string>();
  const TopologyFile file{root, *topology, name};
  if (!kind) {
    file.fail(*topology, fmt::format("[topology] has no kind; add kind = \"torus\" (known: {})",
                                     fmt::join(topology_kinds(), ", ")));
  }
  for (const TopologyKind& candidate : topology_registry()) {
    if (candidate.name != *kind) continue;
    auto result = virtual_hosts.add_to(candidate.make(file));
    attributes.apply(*result);
    return result;
  }
  file.fail(*topology->get("kind"), fmt::format("unknown topology kind \"{}\"; known are {}", *kind,
                                                fmt::join(topology_kinds(), ", ")));
}

}  // namespace

std::unique_ptr<Topology> parse_topology(std::string_view text, const std::string& name) {
  text = require_text(text, name);
  if (looks_like_slurm_topology(text)) return parse_slurm_topology(text, name);
  return looks_like_toml(text) ? make_from_toml(text, name) : parse_coordinate_lines(text, name);
}

std::unique_ptr<Topology> read_topology(const std::string& path) {
  return parse_topology(read_file(path), path);
}

}  // namespace tofa
