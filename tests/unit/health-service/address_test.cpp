// SPDX-License-Identifier: BSD-3-Clause
// How addresses are spelt.
#include "common/address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace tofa::health::address_test {
namespace {

using testing::HasSubstr;

std::string spelt(const std::string& text) {
  return to_string(numeric_address(split_host_port(text, 7411)));
}

TEST(Address, IsSpeltInOneWay) {
  EXPECT_EQ(spelt("10.0.0.1"), "10.0.0.1:7411");
  EXPECT_EQ(spelt("10.0.0.1:5"), "10.0.0.1:5");
  EXPECT_EQ(spelt("[::1]:5"), "[::1]:5");
  EXPECT_EQ(spelt("[FD00:0::1]"), "[fd00::1]:7411");
  EXPECT_EQ(spelt("::1"), "[::1]:7411") << "without a port";
}

TEST(Address, NamesMayHaveAPort) {
  EXPECT_EQ(split_host_port("n0", 7411).host, "n0");
  EXPECT_EQ(split_host_port("n0:5", 7411).port, 5);
  EXPECT_THAT(test::error_of([] { spelt("n0"); }), HasSubstr("is not a numeric address"));
}

TEST(Address, AnythingElseIsRefused) {
  for (const char* text : {"", ":5", "[]", "[::1", "[::1]5", "[::1]:", "[::1]:0", "[::1]:x",
                           "[10.0.0.1]:5", "10.0.0.1:", "10.0.0.1:65536", "a:b:5", "::1::"}) {
    EXPECT_NE(test::error_of([&] { split_host_port(text, 7411); }), "") << text;
  }
}

TEST(Address, IsTheSameWithItsPort) {
  const auto same = [](const char* a, const char* b) {
    return same_address(numeric_address(split_host_port(a, 1)),
                        numeric_address(split_host_port(b, 1)));
  };
  EXPECT_TRUE(same("[::1]:5", "[0::1]:5"));
  EXPECT_FALSE(same("[::1]:5", "[::1]:6"));
  EXPECT_FALSE(same("[::1]:5", "[::2]:5"));
  EXPECT_TRUE(same("10.0.0.1:5", "10.0.0.1:5"));
  EXPECT_FALSE(same("10.0.0.1:5", "10.0.0.1:6"));
  EXPECT_FALSE(same("10.0.0.1:5", "10.0.0.2:5"));
  EXPECT_FALSE(same("0.0.0.0", "::"));
}

}  // namespace
}  // namespace tofa::health::address_test
