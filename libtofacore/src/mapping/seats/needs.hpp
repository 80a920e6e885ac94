// SPDX-License-Identifier: BSD-3-Clause
// Which rank needs which resources, and how many of each a node has: resource requests as the
// searches want them.
#pragma once

#include <cstdint>
#include <vector>

#include "tofa/place.hpp"

namespace tofa {

// A set of resources, one bit each.
using Resources = std::uint32_t;

class Needs {
 public:
  Needs() = default;
  // Requests for any ranks count for nothing here. Throws Error for a resource that no node has,
  // and for ranks that there are not.
  Needs(const std::vector<ResourceNeed>& requests, const Topology& topology, Rank ranks);

  bool empty() const { return of_rank_.empty(); }
  Resources of(Rank rank) const { return of_rank_.empty() ? 0 : of_rank_[rank]; }
  std::size_t resources() const { return names_.size(); }
  const std::string& name(std::size_t resource) const { return names_[resource]; }
  unsigned units(std::size_t resource, Node node) const {
    return topology_->resource(node, names_[resource]);
  }
  // Whether a rank needs several resources at once.
  bool combined() const;

 private:
  const Topology* topology_ = nullptr;
  std::vector<std::string> names_;
  std::vector<Resources> of_rank_;
};

}  // namespace tofa
