// SPDX-License-Identifier: BSD-3-Clause
// Memory is what it was, whether there are large pages or not.
#include "base/large_pages.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tofa::large_pages_test {
namespace {

TEST(LargePages, HoldWhatIsWritten) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1000}, std::size_t{3} << 20U}) {
    std::vector<std::size_t> values;
    reserve_large(values, count);
    EXPECT_GE(values.capacity(), count);
    const std::size_t* const before = values.data();
    values.resize(count);
    EXPECT_EQ(values.data(), before) << "no second room for " << count;
    std::iota(values.begin(), values.end(), std::size_t{1});
    prefer_large_pages(values.data(), values.size() * sizeof values[0]);
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), std::size_t{0}),
              count * (count + 1) / 2);
  }
}

TEST(LargePages, KeepWhatThereWas) {
  std::vector<std::size_t> values = {1, 2, 3};
  for (const std::size_t count : {std::size_t{5}, std::size_t{3} << 20U, std::size_t{2}}) {
    resize_large(values, count);
    ASSERT_EQ(values.size(), count);
    EXPECT_EQ(values[1], 2U);
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), std::size_t{0}), count < 3 ? 3U : 6U);
  }
}

TEST(LargePages, AreNoneOfNothing) {
  prefer_large_pages(nullptr, 0);
  char one = 'a';
  prefer_large_pages(&one, 1);
  EXPECT_EQ(one, 'a');
}

}  // namespace
}  // namespace tofa::large_pages_test
