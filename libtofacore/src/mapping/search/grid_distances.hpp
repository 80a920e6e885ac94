// SPDX-License-Identifier: BSD-3-Clause
// Distances in a grid by table: the difference of two keys, which are positions in a grid padded so
// that differences do not collide, is the index of their distance. One small table serves all
// pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tofa/topology.hpp"

namespace tofa {

class GridDistances {
 public:
  // Nothing for a topology that is no grid, or one too large or too wide for a table of bytes.
  static std::optional<GridDistances> of(const Topology& topology);

  std::int32_t key(const std::vector<unsigned>& coordinates) const {
    std::int32_t result = 0;
    for (std::size_t d = 0; d < stride_.size(); ++d) {
      result += static_cast<std::int32_t>(coordinates[d]) * stride_[d];
    }
    return result;
  }
  // Distance between two positions is middle()[key(a) - key(b)].
  const std::uint8_t* middle() const { return table_.data() + table_.size() / 2; }

 private:
  std::vector<std::int32_t> stride_;
  std::vector<std::uint8_t> table_;
};

}  // namespace tofa
