// SPDX-License-Identifier: BSD-3-Clause
// What each rank sends and receives, by partner, in one place: for searches that follow the loads
// of links.
#pragma once

#include <span>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

struct Flow {
  Rank partner;
  float out;  // in units
  float in;
};

class Flows {
 public:
  Flows(const CommGraph& graph, double bytes_per_unit);
  std::span<const Flow> of(Rank rank) const {
    return {flows_.data() + offsets_[rank], flows_.data() + offsets_[rank + 1]};
  }

 private:
  std::vector<std::size_t> offsets_;
  std::vector<Flow> flows_;
};

}  // namespace tofa
