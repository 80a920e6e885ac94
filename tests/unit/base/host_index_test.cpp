// SPDX-License-Identifier: BSD-3-Clause
// Names of hosts: which are well-formed, and which find each other.
#include "tofa/host_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace tofa {
namespace {

TEST(HostName, IsLettersDigitsDotsAndDashes) {
  for (const char* good : {"n", "n007.cluster", "GPU_1-a", "10.0.0.1"})
    EXPECT_TRUE(is_host_name(good));
  for (const char* bad : {"", " ", "n 1", "n\n", "n/1", "n[1-2]", "\xc3\xbc", "n\x7f"})
    EXPECT_FALSE(is_host_name(bad)) << bad;
  EXPECT_TRUE(is_host_name(std::string(kLongestHostName, 'n')));
  EXPECT_FALSE(is_host_name(std::string(kLongestHostName + 1, 'n')));
}

TEST(HostName, ShortAndQualifiedMeanTheSameHost) {
  EXPECT_TRUE(same_host("n1", "n1"));
  EXPECT_TRUE(same_host("n1", "n1.cluster"));
  EXPECT_TRUE(same_host("n1.cluster", "n1"));
  EXPECT_FALSE(same_host("n1", "n10"));
  EXPECT_FALSE(same_host("n1.cluster", "n1.other"));
}

TEST(HostIndex, FindsByShortAndQualifiedName) {
  const HostIndex hosts({"b.site", "a", "c.site", "c.other"});
  EXPECT_EQ(hosts.find("a"), 1U);
  EXPECT_EQ(hosts.find("a.site"), 1U);
  EXPECT_EQ(hosts.find("b"), 0U);
  EXPECT_EQ(hosts.find("c.other"), 3U);
  EXPECT_EQ(hosts.find("c"), std::nullopt) << "one of two";
  EXPECT_EQ(hosts.find("b.other"), std::nullopt);
  EXPECT_EQ(hosts.find(""), std::nullopt);
}

TEST(HostIndex, RefusesANameTwice) {
  EXPECT_THAT(test::error_of([] {
                HostIndex({"a", "b", "a"});
              }),
              testing::HasSubstr("\"a\" appears twice"));
}

}  // namespace
}  // namespace tofa
