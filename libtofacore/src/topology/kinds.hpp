// SPDX-License-Identifier: BSD-3-Clause
// The registry of topology kinds, and what a kind needs to read its part of a topology file. A new
// kind is one file that defines a maker, plus its line in registry.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "tofa/topology.hpp"

namespace tofa {

// A parsed topology file and the name to use in messages about it.
struct TopologyFile {
  const toml::table& root;
  const toml::table& topology;  // the [topology] table
  const std::string& name;

  // An Error about this file at the line of `node`.
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const;
  // Refuses keys of `table` that are not in `known`.
  void check_keys(const toml::table& table, std::string_view where,
                  const std::vector<std::string_view>& known) const;
};

struct TopologyKind {
  std::string_view name;
  std::unique_ptr<Topology> (*make)(const TopologyFile& file);
};

const std::vector<TopologyKind>& topology_registry();

// Makers, one per kind.
std::unique_ptr<Topology> make_torus(const TopologyFile& file);
std::unique_ptr<Topology> make_mesh(const TopologyFile& file);
std::unique_ptr<Topology> make_flat(const TopologyFile& file);

// Lines `name x y z`: a torus over the smallest box that holds all coordinates.
std::unique_ptr<Topology> parse_coordinate_lines(std::string_view text, const std::string& name);

}  // namespace tofa
