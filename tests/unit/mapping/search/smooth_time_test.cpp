// SPDX-License-Identifier: BSD-3-Clause
// What stands for the busiest link must be the norm of all loads, whatever was kept since, and
// count what the objective counts.
#include "mapping/search/smooth_time.hpp"

#include <gtest/gtest.h>

#include "support/mapping_task.hpp"

namespace tofa {
namespace {

// For two ranks that talk, in units of ten bytes.
SmoothTime time_of(const char* objective) {
  const auto flat = make_flat_topology({"a", "b"});
  const CommGraph graph(Traffic{2, {{0, 1, 100}}, {}});
  const Allocation nodes = {{0, 1}, {1, 1}};
  const OutageMap none;
  const PlaceOptions options;
  Trace trace(options);
  return {test::task_of(graph, *flat, none, nodes, trace, parse_objective(objective)), 10};
}

// What is kept counts for the next change, too: two links, one after the other.
TEST(SmoothTime, KnowsTheNormAfterWhatWasKept) {
  SmoothTime time = time_of("congestion");
  const auto norm = [](float a, float b) { return sums_of_loads(std::vector<float>{a, b}).norm; };
  const auto change = [&time](float load, float by) {
    SmoothTime::Change result;
    time.add(load, by, 1.0F, result.squares, result.powers);
    return result;
  };
  time.begin(norm(4, 3));
  const SmoothTime::Change first = change(4, -0.5F);
  EXPECT_NEAR(time.value(first), norm(3.5F, 3) - norm(4, 3), 1e-4);
  time.keep(first);
  const SmoothTime::Change second = change(3, 0.75F);
  EXPECT_NEAR(time.value(second), norm(3.5F, 3.75F) - norm(3.5F, 3), 1e-4);
  time.keep(second);
  EXPECT_NEAR(time.value(change(3.75F, -0.75F)), norm(3.5F, 3) - norm(3.5F, 3.75F), 1e-4);
}

TEST(SmoothTime, CountsWhatTheObjectiveCounts) {
  const auto counts = [](const char* name) { return time_of(name).counts(); };
  EXPECT_TRUE(counts("completion-time"));
  EXPECT_TRUE(counts("congestion"));
  EXPECT_FALSE(counts("hop-bytes"));
  EXPECT_FALSE(counts("pair-cost"));
  EXPECT_FALSE(counts("fault-weighted"));
}

}  // namespace
}  // namespace tofa
