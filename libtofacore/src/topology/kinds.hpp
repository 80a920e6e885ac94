// SPDX-License-Identifier: BSD-3-Clause
// The registry of topology kinds, and what a kind needs to read its part of a topology file. A new
// kind is one file that defines a `TopologyKind`, plus its line in registry.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "base/registry.hpp"
#include "tofa/error.hpp"
#include "tofa/topology.hpp"

namespace tofa {

// What the kinds with switches accept, so that a short file cannot ask for all memory.
inline constexpr std::size_t kMostNodes = 1'000'000;
inline constexpr std::uint64_t kMostLinks = 20'000'000;

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

  // The host list that `node` holds, expanded; `what` names it in messages.
  std::vector<std::string> expand(const toml::node& node, std::string_view what,
                                  std::size_t limit) const;
  // The host list under `key` of `table`, expanded to at most `limit` hosts; empty where the key is
  // missing.
  std::vector<std::string> hosts(const toml::table& table, std::string_view key,
                                 std::size_t limit = kMostNodes) const;
  // The whole number under `key` of [topology].
  unsigned number(std::string_view key, unsigned least, unsigned most,
                  std::optional<unsigned> missing = {}) const;
  // The list of whole numbers under `key` of [topology]; empty where the key is missing. Messages
  // call one of them `item` and all of them `list`.
  std::vector<unsigned> numbers(std::string_view key, unsigned least, unsigned most,
                                std::string_view item = "a value",
                                std::string_view list = "numbers such as [4, 4]") const;
  double hop_cost() const;

  // `nodes` of [topology]: at least one host.
  std::vector<std::string> node_names() const;
  // Refuses more nodes than a regular network has places for.
  void check_room(std::size_t names, std::uint64_t places) const;
  // What `make` makes; an Error it throws gets the place of [topology].
  template <typename Make>
  std::unique_ptr<Topology> build(const Make& make) const {
    try {
      return make();
    } catch (const Error& error) {
      fail(topology, error.what());
    }
  }
};

struct TopologyKind {
  std::string_view name;
  std::unique_ptr<Topology> (*make)(const TopologyFile& file);
};

Registry<TopologyKind> topology_registry();

// Whether a text is Slurm's topology.conf: its first line of content starts with SwitchName=,
// BlockName= or BlockSizes=.
bool looks_like_slurm_topology(std::string_view text);

// Throws Error if it is Slurm's topology.yaml.
void refuse_slurm_yaml(std::string_view text, const std::string& name);

// Lines `name x y z`: a torus over the smallest box that holds all coordinates.
std::unique_ptr<Topology> parse_coordinate_lines(std::string_view text, const std::string& name);

}  // namespace tofa
