// SPDX-License-Identifier: BSD-3-Clause
// Gains in words.
#include "tofa/gain.hpp"

#include <gtest/gtest.h>

namespace tofa {
namespace {

// A job whose busiest link carries so many bytes, and that sends next to nothing otherwise.
Metrics with_busiest_link(double load) {
  Metrics metrics;
  metrics.ranks = 1;
  metrics.bytes = 1;
  metrics.max_link_load = load;
  return metrics;
}

TEST(Gain, IsToldInWords) {
  const auto text = [](double before, double after) {
    return speedup_text(with_busiest_link(before), with_busiest_link(after));
  };
  EXPECT_EQ(text(1.34e9, 1e9), "34 % faster than the default");
  EXPECT_EQ(text(2.58e9, 1e9), "2.6 times as fast as the default");
  EXPECT_EQ(text(1e9, 1e9), "as fast as the default");
  EXPECT_EQ(text(1.003e9, 1e9), "as fast as the default");
  EXPECT_EQ(text(1e9, 1.08e9), "8 % slower than the default");
}

TEST(Gain, WithoutTrafficThereIsNone) {
  EXPECT_DOUBLE_EQ(communication_speedup({}, {}), 1);
}

}  // namespace
}  // namespace tofa
