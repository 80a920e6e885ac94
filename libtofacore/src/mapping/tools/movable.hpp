// SPDX-License-Identifier: BSD-3-Clause
// Which vertex of a side gains the most by going to the other one, for the refinement of a cut. Of
// many vertices a heap tells; of few, which most of the parts are that a graph is cut into again
// and again, a look at all of them takes less time than keeping a heap.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace tofa {

struct Movable {
  std::int32_t gain;
  std::uint32_t vertex;
};

class MovableVertices {
 public:
  // Nobody is movable at first. Gains are greater than the least number there is.
  explicit MovableVertices(std::uint32_t vertices);

  void clear();
  // A vertex that may move off this side, at this gain instead of what was said of it before.
  void put(unsigned side, std::uint32_t vertex, std::int32_t gain) {
    if (few_) {
      gains_[side][vertex] = gain;
    } else {
      put_on_heap(side, vertex, gain);
    }
  }
  // The same, of many one after the other. To be followed by `order` before anything is asked.
  void add(unsigned side, std::uint32_t vertex, std::int32_t gain);
  void order();
  // It may not move any more.
  void take(std::uint32_t vertex) {
    if (few_) {
      for (auto& gains : gains_) gains[vertex] = kStays;
    } else {
      side_[vertex] = kNeither;
    }
  }
  // Of a side, the first of those that gain the most; nothing where nobody may move.
  std::optional<Movable> best(unsigned side);
  // Whether it takes no longer if all may move.
  bool looks_at_all() const { return few_; }

 private:
  static constexpr std::uint32_t kFew = 128;

  static constexpr std::int32_t kStays = std::numeric_limits<std::int32_t>::min();
  static constexpr std::uint8_t kNeither = 2;

  // A gain and who has it, as one number: more gain is more, and of as much the first vertex.
  using Entry = std::uint64_t;

  void put_on_heap(unsigned side, std::uint32_t vertex, std::int32_t gain);
  std::optional<Movable> best_of_few(unsigned side) const;

  bool few_;
  std::array<std::vector<std::int32_t>, 2> gains_;  // of few, by vertex, and some more
  std::array<std::vector<Entry>, 2> heaps_;         // of many, with entries that are out of date
  std::vector<std::int32_t> gain_;                  // of many, by vertex: what is true now
  std::vector<std::uint8_t> side_;                  // of many, by vertex: or neither
};

}  // namespace tofa
