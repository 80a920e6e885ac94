// SPDX-License-Identifier: BSD-3-Clause
// The lines of a hostfile.
#include "tofa/hostfile.hpp"

#include <gtest/gtest.h>

namespace tofa {
namespace {

TEST(Hostfile, LineINamesTheNodeOfRankI) {
  EXPECT_EQ(format_hostfile({"n1", "n0", "n1"}), "n1\nn0\nn1\n");
  EXPECT_EQ(format_hostfile({}), "");
}

}  // namespace
}  // namespace tofa
