// SPDX-License-Identifier: BSD-3-Clause
// What a topology file says about the bandwidth of links, whatever its kind: `bandwidth = 9.4e9` in
// [topology] for all of them, `bandwidth = [9.4e9, 4.7e9, 9.4e9]` by dimension of a grid or by
// level from the nodes up, in bytes per second.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "tofa/topology.hpp"

namespace tofa {

// A number of bytes per second. Throws Error with file and line.
double read_bandwidth(const toml::node& node, const std::string& file);

class LinkBandwidths {
 public:
  // Takes the key out of a file, so that the kind need not know it. `file` is for messages. Throws
  // Error with file and line.
  LinkBandwidths(toml::table& root, const std::string& file);
  // Links that have a bandwidth already keep it. Where some are faster than others, that is what
  // they cost.
  void apply(Topology& topology) const;

 private:
  std::string file_;
  std::size_t line_ = 0;
  bool by_class_ = false;
  std::vector<double> values_;
};

}  // namespace tofa
