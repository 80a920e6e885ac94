// SPDX-License-Identifier: BSD-3-Clause
// The list of topology kinds, and reading a topology file: find its kind and hand it over.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/toml_section.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"
#include "topology/kinds.hpp"
#include "topology/link_bandwidths.hpp"
#include "topology/node_attributes.hpp"
#include "topology/virtual_hosts.hpp"

namespace tofa {

extern const TopologyKind kTorusKind, kMeshKind, kFlatKind, kTreeKind, kFatTreeKind, kDragonflyKind,
    kGraphKind;

Registry<TopologyKind> topology_registry() {
  static constexpr std::array kinds{
      &kTorusKind, &kMeshKind, &kFlatKind, &kTreeKind, &kFatTreeKind, &kDragonflyKind, &kGraphKind,
  };
  return kinds;
}

void TopologyFile::fail(const toml::node& node, const std::string& message) const {
  fail_at(node, name, message);
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
  const LinkBandwidths bandwidths(root, name);
  const toml::table* topology = root["topology"].as_table();
  if (topology == nullptr) {
    throw Error(ErrorKind::bad_input, name, 0,
                "has no [topology] table; begin it with [topology], kind and shape");
  }
  const auto kind = (*topology)["kind"].value<std::string>();
  const TopologyFile file{root, *topology, name};
  if (!kind) {
    file.fail(*topology, fmt::format("[topology] has no kind; add kind = \"torus\" (known: {})",
                                     fmt::join(names_of(topology_registry()), ", ")));
  }
  const TopologyKind* known = find_entry(topology_registry(), *kind);
  if (known == nullptr) {
    file.fail(*topology->get("kind"),
              fmt::format("unknown topology kind \"{}\"; known are {}", *kind,
                          fmt::join(names_of(topology_registry()), ", ")));
  }
  auto result = virtual_hosts.add_to(known->make(file));
  attributes.apply(*result);
  bandwidths.apply(*result);
  return result;
}

}  // namespace

std::unique_ptr<Topology> parse_topology(std::string_view text, const std::string& name) {
  text = require_text(text, name);
  refuse_slurm_yaml(text, name);
  if (looks_like_slurm_topology(text)) return parse_slurm_topology(text, name);
  return looks_like_toml(text) ? make_from_toml(text, name) : parse_coordinate_lines(text, name);
}

std::unique_ptr<Topology> read_topology(const std::string& path) {
  return parse_topology(read_file(path), path);
}

}  // namespace tofa
