// SPDX-License-Identifier: BSD-3-Clause
// What is told of a run that died: hosts if all are known, times of those that have any.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/counts_file.hpp"
#include "tofa/error.hpp"
#include "tofa/run_times.hpp"

namespace tofa {
namespace {

using File = CountsFile;
using Json = nlohmann::json;

TEST(RecoveredRun, TellsHostsAndTimes) {
  const std::string text = recover_run({File(0, 2, true).on("n1").timed(250, 9, 8000).parse(),
                                        File(1, 2).on("n2").timed(500, 4, 9000).parse()});
  const Json run = Json::parse(text);
  EXPECT_EQ(run["mapping"], Json({"n1", "n2"}));
  EXPECT_EQ(run["run_seconds"], Json({1.0, 2.0}));
  EXPECT_EQ(run["mpi_seconds"], Json({0.25, 0.5}));
  EXPECT_EQ(run["mpi_calls"], Json({9, 4}));
  EXPECT_EQ(run["ranks"], 2);
  EXPECT_EQ(run["command"], "./app x");
  EXPECT_EQ(run["date"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(run["recovered"], true);
  EXPECT_TRUE(is_recovered_run(text));
  const auto shares = parse_mpi_shares(text, "ranks.json");
  ASSERT_TRUE(shares);
  EXPECT_DOUBLE_EQ(shares->mean, 0.25);
}

TEST(RecoveredRun, LeavesOutWhatIsNotKnown) {
  const std::string missing = recover_run({File(1, 2).on("n2").timed(500, 4, 9000).parse()});
  EXPECT_FALSE(Json::parse(missing).contains("mapping"));
  EXPECT_EQ(Json::parse(missing)["run_seconds"], Json({0.0, 2.0}));
  EXPECT_DOUBLE_EQ(parse_mpi_shares(missing, "ranks.json")->mean, 0.25);
  const Json untimed = Json::parse(recover_run({File(0, 1).on("n1").parse()}));
  EXPECT_FALSE(untimed.contains("run_seconds"));
  EXPECT_EQ(untimed["mapping"], Json({"n1"}));
  EXPECT_FALSE(Json::parse(recover_run({File(0, 1).parse()})).contains("mapping"));
  EXPECT_THROW((void)recover_run({}), Error);
}

TEST(RecoveredRun, IsToldFromTheRunsOwn) {
  for (const char* own : {R"({"version": 1, "ranks": 2, "seconds": 0.006})", "", "[1]", "{"}) {
    EXPECT_FALSE(is_recovered_run(own)) << own;
  }
}

// Clocks that run backwards, and times without a call.
TEST(RecoveredRun, TakesNoTimesFromDamagedHeads) {
  EXPECT_FALSE(File(0, 1).timed(1, 4, 6999).parse().times);
  EXPECT_FALSE(File(0, 1).timed(1, 0, 9000).parse().times);
}

}  // namespace
}  // namespace tofa
