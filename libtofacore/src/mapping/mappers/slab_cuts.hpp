// SPDX-License-Identifier: BSD-3-Clause
// Cuts a drawing of ranks and a box of nodes in slabs together, one dimension after the other, so
// that every seat gets a rank from where it lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mapping/mappers/turning.hpp"
#include "mapping/mappers/unfolding.hpp"
#include "mapping/tools/drawing.hpp"

namespace tofa {

class SlabCuts {
 public:
  // The drawing, of so many ranks, has to live as long.
  SlabCuts(const Drawing& drawing, Rank ranks);

  // The position in the box of each rank of the drawing, which is turned before.
  std::vector<std::uint32_t> cut(const Turning& turning, const Unfolded& host);

 private:
  struct Key {
    float at;
    Rank rank;
  };
  // Positions of the host [begin, end), and the ranks for them, keys_[first] to keys_[last - 1].
  struct Part {
    std::size_t begin;
    std::size_t end;
    std::size_t first;
    std::size_t last;
  };

  void turn_points(const Turning& turning);
  void cut_part(const Unfolded& host, std::size_t dimensions, const Part& part,
                std::vector<std::uint32_t>& places);

  const Drawing& drawing_;
  std::vector<std::array<float, Drawing::kMostDimensions>> turned_;  // by rank
  std::vector<Key> keys_;
};

}  // namespace tofa
