// SPDX-License-Identifier: BSD-3-Clause
// What a topology file says about nodes beside where they are, whatever its kind: the resources
// they have, as `gres = { fpga = 2 }` in [[attributes]] for a host list or in [[node]] for one.
#pragma once

#include <string>
#include <vector>

#include <toml++/toml.h>

#include "tofa/topology.hpp"

namespace tofa {

class NodeAttributes {
 public:
  // Takes the attributes out of a file, so that the kind need not know them. `file` is for
  // messages. Throws Error with file and line.
  NodeAttributes(toml::table& root, const std::string& file);
  void apply(Topology& topology) const;

 private:
  struct Entry {
    std::size_t line;
    std::vector<std::string> hosts;
    std::string resource;
    unsigned count;
  };
  void read(const toml::table& table, const char* names_key);
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const;

  std::string file_;
  std::vector<Entry> entries_;  // later ones win
};

}  // namespace tofa
