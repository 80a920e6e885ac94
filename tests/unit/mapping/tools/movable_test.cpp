// SPDX-License-Identifier: BSD-3-Clause
// Whoever is said to gain the most must be the first of those that do, of few vertices and of many.
#include "mapping/tools/movable.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tofa {
namespace {

struct Known {
  bool may_move;
  unsigned side;
  std::int32_t gain;
};

std::optional<Movable> best_of(const std::vector<Known>& all, unsigned side) {
  std::optional<Movable> best;
  for (std::uint32_t v = 0; v < all.size(); ++v) {
    if (!all[v].may_move || all[v].side != side) continue;
    if (!best || all[v].gain > best->gain) best = Movable{all[v].gain, v};
  }
  return best;
}

void expect_same(const std::optional<Movable>& found, const std::optional<Movable>& expected) {
  RC_ASSERT(found.has_value() == expected.has_value());
  if (!found) return;
  RC_ASSERT(found->vertex == expected->vertex);
  RC_ASSERT(found->gain == expected->gain);
}

// Gains are changed and vertices taken, in any order; a vertex stays on its side.
RC_GTEST_PROP(MovableVerticesProperty, TheBestIsTheFirstOfThoseThatGainMost, ()) {
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 300);
  const auto any_gain = rc::gen::oneOf(rc::gen::inRange<std::int32_t>(-3, 4),
                                       rc::gen::inRange<std::int32_t>(-(1 << 30), 1 << 30));
  MovableVertices movable(count);
  std::vector<Known> known(count);
  for (std::uint32_t v = 0; v < count; ++v) {
    known[v] = {*rc::gen::arbitrary<bool>(), *rc::gen::inRange(0U, 2U), *any_gain};
    if (known[v].may_move) movable.add(known[v].side, v, known[v].gain);
  }
  movable.order();
  for (int i = 0; i < 60; ++i) {
    const auto v = *rc::gen::inRange<std::uint32_t>(0, count);
    known[v].may_move = *rc::gen::arbitrary<bool>();
    known[v].gain = *any_gain;
    if (known[v].may_move) {
      movable.put(known[v].side, v, known[v].gain);
    } else {
      movable.take(v);
    }
    for (const unsigned side : {0U, 1U}) expect_same(movable.best(side), best_of(known, side));
  }
}

TEST(MovableVertices, NobodyMayMoveAtFirstNorWhenCleared) {
  for (const std::uint32_t count : {5U, 500U}) {
    MovableVertices movable(count);
    EXPECT_FALSE(movable.best(0));
    movable.put(0, 3, -7);
    ASSERT_TRUE(movable.best(0));
    EXPECT_EQ(movable.best(0)->vertex, 3U);
    EXPECT_FALSE(movable.best(1));
    movable.clear();
    EXPECT_FALSE(movable.best(0));
  }
}

}  // namespace
}  // namespace tofa
