// SPDX-License-Identifier: BSD-3-Clause
// Virtual hosts as a topology file of any kind names them: `[[host]] name = "vm[1-4]" on = "n007"`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "tofa/topology.hpp"

namespace tofa {

class VirtualHosts {
 public:
  // Takes them out of a file, so that the kind need not know them. Throws Error with file and line.
  VirtualHosts(toml::table& root, const std::string& file);

  // The topology with them in it, after its own nodes; the topology itself if there are none.
  std::unique_ptr<Topology> add_to(std::unique_ptr<Topology> topology) const;

 private:
  struct Entry {
    std::size_t line;
    std::vector<std::string> names;
    std::string on;
  };
  void read(const toml::node& item);
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const;

  std::string file_;
  std::vector<Entry> entries_;
};

}  // namespace tofa
