// SPDX-License-Identifier: BSD-3-Clause
// The latest outages: begun, ended, and never too many.
#include "healthd/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofa::health::history_test {
namespace {

using ::testing::ElementsAre;

TEST(History, OutagesBeginAndEnd) {
  History history({{"a", 1, 2, "slurm"}});
  history.apply({"a", false, 10, true, "slurm"});
  history.apply({"b", false, 11});
  history.apply({"c", false, 12, false});
  history.apply({"a", true, 15});
  EXPECT_THAT(history.latest(),
              ElementsAre(PastOutage{"a", 1, 2, "slurm"}, PastOutage{"a", 10, 15, "slurm"},
                          PastOutage{"b", 11, 0, "heartbeat"}))
      << "c had never been up";
  history.apply({"b", true, 3});
  EXPECT_EQ(history.latest()[2].end, 11) << "the clock was set back";
}

TEST(History, WhatBecomesKnownLaterTakesItsPlace) {
  History history({{"a", 1, 2, "slurm"}, {"b", 10, 0, "slurm"}});
  history.insert({"c", 5, 6, "manual"});
  history.insert({"d", 20, 21, "manual"});
  EXPECT_THAT(history.latest(),
              ElementsAre(PastOutage{"a", 1, 2, "slurm"}, PastOutage{"c", 5, 6, "manual"},
                          PastOutage{"b", 10, 0, "slurm"}, PastOutage{"d", 20, 21, "manual"}));
}

TEST(History, OfAHostThatHadOtherNames) {
  History history({{"a", 1, 2, "slurm"}, {"b", 3, 4, "slurm"}, {"a", 30, 31, "slurm"}});
  const auto merge = [&](const char* host, const char* into, double time) {
    history.rename({.time = time,
                    .user = "al",
                    .kind = ChangeKind::merge,
                    .host = host,
                    .reason = "r",
                    .into = into});
  };
  merge("a", "b", 10);
  merge("b", "c", 20);
  history.rename({.host = "c"});  // an exclusion
  Snapshot snapshot;
  snapshot.hosts = {{"a"}, {"c"}};
  history.tell(snapshot);
  EXPECT_THAT(snapshot.outages,
              ElementsAre(PastOutage{"c", 1, 2, "slurm"}, PastOutage{"c", 3, 4, "slurm"},
                          PastOutage{"a", 30, 31, "slurm"}))
      << "the name is another host's by now";
  EXPECT_TRUE(snapshot.hosts[0].was.empty());
  EXPECT_THAT(snapshot.hosts[1].was,
              ElementsAre(FormerName{"a", 10, "al", "r"}, FormerName{"b", 20, "al", "r"}));
  // Into a host that has earlier names, one that has others.
  merge("x", "y", 30);
  merge("y", "c", 40);
  history.tell(snapshot);
  EXPECT_THAT(snapshot.hosts[1].was,
              ElementsAre(FormerName{"a", 10, "al", "r"}, FormerName{"b", 20, "al", "r"},
                          FormerName{"x", 30, "al", "r"}, FormerName{"y", 40, "al", "r"}));
}

TEST(History, KeepsTheLatest) {
  History history;
  for (std::size_t i = 0; i <= History::kMost; ++i) {
    history.apply({"a", false, static_cast<double>(i + 1)});
  }
  EXPECT_EQ(history.latest().size(), History::kMost);
  EXPECT_EQ(history.latest().front().start, 2);
  history.insert({"b", 1, 2, "manual"});
  EXPECT_EQ(history.latest().size(), History::kMost);
  EXPECT_EQ(history.latest().front().host, "a") << "older than those that are kept";
}

}  // namespace
}  // namespace tofa::health::history_test
