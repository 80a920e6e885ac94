// SPDX-License-Identifier: BSD-3-Clause
// Which rank is most in MPI, as the file of a run tells it.
#include "tofa/run_times.hpp"

#include <gtest/gtest.h>

#include "tofa/error.hpp"

namespace tofa {
namespace {

TEST(RunTimes, NameTheRanksThatAreLeastAndMostInMpi) {
  const auto shares = parse_mpi_shares(
      R"({"run_seconds": [10, 4.0, 0, 8], "mpi_seconds": [5, 1, 0, 6]})", "app.ranks.json");
  ASSERT_TRUE(shares.has_value());
  EXPECT_DOUBLE_EQ(shares->least, 0.25);
  EXPECT_EQ(shares->of_least, 1U);
  EXPECT_DOUBLE_EQ(shares->most, 0.75);
  EXPECT_EQ(shares->of_most, 3U);
  EXPECT_DOUBLE_EQ(shares->mean, 0.5);
}

TEST(RunTimes, AreNotThereWhereNobodyTookThem) {
  EXPECT_FALSE(parse_mpi_shares("{}", "x").has_value());
  EXPECT_FALSE(parse_mpi_shares(R"({"run_seconds": [1, 2]})", "x").has_value());
  EXPECT_FALSE(parse_mpi_shares(R"({"run_seconds": [0], "mpi_seconds": [0]})", "x").has_value());
}

TEST(RunTimes, RefuseWhatTheyCannotBe) {
  for (const char* text : {"", "[]", "{", R"({"mpi_seconds": 3})", R"({"mpi_seconds": ["3"]})",
                           R"({"run_seconds": [1], "mpi_seconds": [-1]})",
                           R"({"run_seconds": [1], "mpi_seconds": [1, 2]})"}) {
    EXPECT_THROW((void)parse_mpi_shares(text, "x"), Error) << text;
  }
}

}  // namespace
}  // namespace tofa
