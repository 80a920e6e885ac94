// SPDX-License-Identifier: BSD-3-Clause
// A network without circles, in which there is one way between two vertices: up from either of them
// to where both meet. Nothing has to be tabled then for each pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tofa {

class CableTree {
 public:
  struct Cable {
    std::uint32_t a;  // vertices
    std::uint32_t b;
    unsigned length;  // hops
  };

  // Nothing where there are circles, parts that do not hang together, or long ways up, which take
  // longer to walk than to look up.
  static std::optional<CableTree> of(std::uint32_t vertices, const std::vector<Cable>& cables);

  static constexpr std::size_t kMostSteps = 16;  // up to the root

  unsigned hops(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t top = meeting_point(from, to);
    return below_root_[from] + below_root_[to] - 2 * below_root_[top];
  }
  // The highest vertex of the way.
  std::uint32_t meeting_point(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      std::uint32_t& lower = steps_[a] >= steps_[b] ? a : b;
      lower = parent_[lower];
    }
    return a;
  }
  // One step up, and the cable that leads there, by its place in the list that the tree was made
  // of.
  std::uint32_t parent(std::uint32_t vertex) const { return parent_[vertex]; }
  std::uint32_t cable_up(std::uint32_t vertex) const { return up_[vertex]; }

 private:
  std::vector<std::uint32_t> parent_;  // by vertex, as below; of the root, itself
  std::vector<std::uint32_t> up_;      // the cable to the parent
  std::vector<std::size_t> steps_;     // cables up to the root
  std::vector<unsigned> below_root_;   // hops of these
};

}  // namespace tofa
