// SPDX-License-Identifier: BSD-3-Clause
// Fingerprints: the same for the same values, another for any others.
#include "base/fingerprint.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tofa {
namespace {

TEST(Fingerprint, IsTheSameForTheSameAndAnotherForOthers) {
  EXPECT_EQ(fingerprint_of("abc"), fingerprint_of("abc"));
  EXPECT_EQ(fingerprint_of("").size(), 32U);
  const std::set<std::string> texts{
      fingerprint_of(""),
      fingerprint_of("abc"),
      Fingerprint().add("a").add("bc").text(),
      Fingerprint().add("ab").add("c").text(),
      Fingerprint().add("abc").add("").text(),
      Fingerprint().add(std::uint64_t{1}).text(),
      Fingerprint().add(1.0).text(),
      Fingerprint().add(0.5).text(),
  };
  EXPECT_EQ(texts.size(), 8U);
}

}  // namespace
}  // namespace tofa
