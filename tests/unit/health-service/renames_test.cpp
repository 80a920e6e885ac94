// SPDX-License-Identifier: BSD-3-Clause
// Names that hosts have now, from the names they had, and which two names can be one host.
#include "healthd/renames.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "healthd/earlier_host.hpp"
#include "support.hpp"

namespace tofa::health::renames_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

Change merge(const std::string& host, const std::string& into, double time) {
  return {.time = time, .kind = ChangeKind::merge, .host = host, .reason = "r", .into = into};
}

HostRecord record_of(const std::string& name) {
  HostRecord record;
  record.name = name;
  record.method = "gamma";
  return record;
}

TEST(Renames, AreFollowedInTheOrderOfTime) {
  Renames renames;
  for (const Change& change : {merge("a", "b", 10), merge("b", "c", 20), merge("a", "d", 30)}) {
    renames.apply(change);
  }
  EXPECT_EQ(renames.name_now("a", 5), "c");
  EXPECT_EQ(renames.name_now("b", 15), "c");
  EXPECT_EQ(renames.name_now("b", 25), "b") << "the name is another host's by now";
  EXPECT_EQ(renames.name_now("a", 15), "d") << "so it is here";
  EXPECT_EQ(renames.name_now("a", 30), "a");
  EXPECT_EQ(renames.name_now("c", 5), "c");
  Renames round;
  round.apply(merge("a", "b", 10));
  round.apply(merge("b", "a", 20));
  EXPECT_EQ(round.name_now("a", 5), "a") << "there and back";
  EXPECT_EQ(round.name_now("b", 15), "a");
}

TEST(Renames, TellTheNamesThatAHostHad) {
  Renames renames;
  // The name b was another host's until 10; then a became b.
  for (const Change& change : {merge("b", "c", 10), merge("a", "b", 20)}) renames.apply(change);
  EXPECT_THAT(renames.names_of("b"), ElementsAre("b", "a"));
  EXPECT_THAT(renames.names_of("c"), UnorderedElementsAre("c", "b", "a"));
  EXPECT_THAT(renames.names_of("x"), ElementsAre("x"));
  EXPECT_EQ(renames.name_then("b", 15), "b") << "that of the host with that name, so far";
  EXPECT_EQ(renames.name_then("b", 5), "a") << "b is what another host is recorded under";
  EXPECT_EQ(renames.name_then("b", 25), "b");
  EXPECT_EQ(renames.name_then("c", 5), "c");
  Renames round;
  for (const Change& change : {merge("a", "b", 10), merge("b", "a", 20)}) round.apply(change);
  EXPECT_THAT(round.names_of("a"), ElementsAre("a", "b"));
}

TEST(Renames, AreStoredBeforeTheReason) {
  const Change change = merge("a", "b.cluster", 10);
  EXPECT_EQ(stored_reason(change), "b.cluster: r");
  Change read{.kind = ChangeKind::merge};
  ASSERT_TRUE(from_stored_reason("b.cluster: r: s", read));
  EXPECT_EQ(read.into, "b.cluster");
  EXPECT_EQ(read.reason, "r: s");
  for (const char* wrong : {"", "b", ": r", "a b: r"}) {
    EXPECT_FALSE(from_stored_reason(wrong, read)) << wrong;
  }
  Change other{.kind = ChangeKind::exclude};
  EXPECT_TRUE(from_stored_reason("b: r", other));
  EXPECT_EQ(other.reason, "b: r");
}

TEST(EarlierHost, IsAllThatIsRecordedOfTheName) {
  StoreContents saved;
  saved.hosts = {record_of("n1"), record_of("n2")};
  saved.days = {{"n1", {5, 100, 1}}, {"n2", {5, 200, 0}}};
  saved.outages = {{"n1", 10, 20}, {"n2", 30, std::nullopt}};
  const HostState earlier = earlier_host(saved, "n1");
  EXPECT_EQ(earlier.record.method, "gamma");
  EXPECT_EQ(earlier.days, (std::vector<Day>{{5, 100, 1}}));
  EXPECT_THAT(test::error_of([&] { earlier_host(saved, "n2"); }), HasSubstr("outage of n2 lasts"));
  EXPECT_THAT(test::error_of([&] { earlier_host(saved, "n11"); }),
              HasSubstr("nothing is recorded of \"n11\""));
}

TEST(EarlierHost, IsNoneThatWasUpAtTheSameTime) {
  const HostState earlier{record_of("n1"), {{5, 86'400, 0}, {6, 40'000, 1}}};
  EXPECT_NO_THROW(refuse_two_at_once(earlier, {record_of("n2"), {{6, 46'400, 0}, {7, 86'400, 0}}}));
  EXPECT_THAT(test::error_of([&] {
                refuse_two_at_once(earlier, {record_of("n2"), {{5, 3600, 0}}});
              }),
              HasSubstr("n1 and n2 were both up on 1970-01-06"));
}

}  // namespace
}  // namespace tofa::health::renames_test
