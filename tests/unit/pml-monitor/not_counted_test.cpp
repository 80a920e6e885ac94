// SPDX-License-Identifier: BSD-3-Clause
// What is not counted is named.
#include "not_counted.h"

#include <gtest/gtest.h>

#include <string>

namespace tofa::not_counted_test {
namespace {

std::string names(uint32_t ways, size_t size = 200) {
  std::string text(size, 'x');
  not_counted_names(ways, text.data(), size);
  return text.c_str();
}

TEST(NotCounted, HasANameForEachBit) {
  EXPECT_EQ(names(0), "");
  EXPECT_EQ(names(NOT_COUNTED_COLL_SM), "coll/sm");
  EXPECT_EQ(names(NOT_COUNTED_WINDOWS | NOT_COUNTED_COLL_HARDWARE),
            "one-sided,network collectives");
  EXPECT_EQ(names(~0U), names(NOT_COUNTED_MOST - 1));
}

TEST(NotCounted, StaysInItsRoom) {
  EXPECT_EQ(names(~0U, 5), "one-");
  EXPECT_EQ(names(~0U, 1), "");
}

}  // namespace
}  // namespace tofa::not_counted_test
