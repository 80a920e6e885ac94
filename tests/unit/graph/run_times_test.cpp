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

TEST(RunTimes, FactsAreWhatTheFileTells) {
  const RunFacts run = parse_run_facts(
      R"({"command": "./app 3", "date": "2026-11-22T21:42:33Z", "open_mpi": "4.1.4",
          "run_seconds": [2, 0], "mpi_calls": [245, 0], "mapping": ["a", "b"]})",
      "app.ranks.json");
  EXPECT_EQ(run.command, "./app 3");
  EXPECT_EQ(run.date, "2026-11-22T21:42:33Z");
  EXPECT_EQ(run.open_mpi, "4.1.4");
  EXPECT_EQ(run.run_seconds, (std::vector<double>{2, 0}));
  EXPECT_EQ(run.mpi_calls, (std::vector<double>{245, 0}));
  EXPECT_TRUE(run.mpi_seconds.empty());
  EXPECT_FALSE(mpi_shares(run).has_value());
  EXPECT_EQ(parse_run_facts(R"({"command": 3})", "x").command, "");
  EXPECT_THROW((void)parse_run_facts(R"({"run_seconds": [1], "mpi_calls": [1, 2]})", "x"), Error);
}

}  // namespace
}  // namespace tofa
