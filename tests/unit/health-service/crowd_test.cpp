// SPDX-License-Identifier: BSD-3-Clause
// Who is served first and who gives way in the gate's crowd.
#include "gateway/crowd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace tofa::health::crowd_test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using Order = std::vector<std::size_t>;

const auto kNow = std::chrono::steady_clock::time_point(100s);

Standing quiet_for(std::chrono::milliseconds time, Origin origin = {1, 0}, bool waits = false) {
  return {origin, kNow - time, waits};
}

TEST(GatewayCrowd, WhoSpokeLastComesFirst) {
  EXPECT_THAT(most_deserving_first({quiet_for(150ms), quiet_for(300ms), quiet_for(200ms)}),
              ElementsAre(0, 2, 1));
  EXPECT_THAT(most_deserving_first({}), IsEmpty());
}

TEST(GatewayCrowd, WhoWaitsForTheGatewayComesBeforeWhoIsWaitedFor) {
  EXPECT_THAT(most_deserving_first({quiet_for(1ms), quiet_for(300ms, {1, 0}, true)}),
              ElementsAre(1, 0));
}

TEST(GatewayCrowd, AddressesTakeTurns) {
  EXPECT_THAT(most_deserving_first({quiet_for(1ms, {7, 0}), quiet_for(2ms, {7, 0}),
                                    quiet_for(3ms, {7, 0}), quiet_for(900ms, {8, 0})}),
              ElementsAre(0, 3, 1, 2));
}

TEST(GatewayCrowd, UsersOfAnAddressTakeTurns) {
  EXPECT_THAT(most_deserving_first({quiet_for(1ms, {7, 1}), quiet_for(2ms, {7, 1}),
                                    quiet_for(3ms, {7, 1}), quiet_for(900ms, {7, 2})}),
              ElementsAre(0, 3, 1, 2));
}

TEST(GatewayCrowd, WhoClaimsToBeManyUsersIsStillOneAddress) {
  std::vector<Standing> crowd;
  for (std::uint32_t user = 0; user < 50; ++user) crowd.push_back(quiet_for(1ms, {7, user}));
  crowd.push_back(quiet_for(900ms, {8, 0}));
  crowd.push_back(quiet_for(901ms, {8, 0}));
  const Order order = most_deserving_first(crowd);
  EXPECT_LT(std::find(order.begin(), order.end(), 50) - order.begin(), 2);
  EXPECT_LT(std::find(order.begin(), order.end(), 51) - order.begin(), 4);
}

TEST(GatewayCrowd, OfAnIpv6AddressTheFirstHalfCounts) {
  const auto network = [](const char* host) { return network_of(numeric_address({host, 5})); };
  EXPECT_EQ(network("fd00::1"), network("fd00::2:1"));
  EXPECT_NE(network("fd00::1"), network("fd00:0:0:1::1"));
  EXPECT_NE(network("10.0.0.1"), network("10.0.0.2"));
  EXPECT_EQ(network("10.0.0.1"), network("::ffff:10.0.0.1"));
}

TEST(GatewayCrowd, TheBusiestAddressGivesWayFirst) {
  const std::vector<Standing> crowd = {quiet_for(900ms, {7, 0}), quiet_for(200ms, {8, 0}),
                                       quiet_for(300ms, {8, 0})};
  EXPECT_THAT(who_gives_way(crowd, kNow, {.count = 1}), ElementsAre(2));
  EXPECT_THAT(who_gives_way(crowd, kNow, {.count = 2}), ElementsAre(2, 0));
  EXPECT_THAT(who_gives_way(crowd, kNow, {.count = 9}), ElementsAre(2, 0, 1));
  EXPECT_THAT(who_gives_way(crowd, kNow, {.count = 0}), IsEmpty());
}

TEST(GatewayCrowd, NobodyWhoHasJustSpokenGivesWay) {
  EXPECT_THAT(who_gives_way({quiet_for(0ms), quiet_for(99ms)}, kNow, {.grace = 100ms}), IsEmpty());
  EXPECT_THAT(
      who_gives_way({quiet_for(900ms, {7, 0}), quiet_for(0ms, {8, 0}), quiet_for(0ms, {8, 0})},
                    kNow, {.grace = 100ms}),
      ElementsAre(0))
      << "when none of the busiest address may";
}

TEST(GatewayCrowd, WhoWaitsForTheGatewayStaysUnlessAnyMayGo) {
  const std::vector<Standing> waiting = {quiet_for(900ms, {1, 0}, true)};
  EXPECT_THAT(who_gives_way(waiting, kNow, {}), IsEmpty());
  EXPECT_THAT(who_gives_way(waiting, kNow, {.any = true}), ElementsAre(0));
}

// However many others do, from however many addresses: whoever has just asked, once, from an
// address of its own, is not among those who give way, and is served among the first of each
// address.
RC_GTEST_PROP(GatewayCrowd, WhoHasJustAskedOnceIsServed, ()) {
  std::vector<Standing> crowd;
  const auto others = *rc::gen::inRange<std::size_t>(1, 200);
  const auto addresses = *rc::gen::inRange<std::uint64_t>(1, 50);
  for (std::size_t i = 0; i < others; ++i) {
    crowd.push_back(quiet_for(std::chrono::milliseconds(*rc::gen::inRange(1, 2000)),
                              {100 + *rc::gen::inRange<std::uint64_t>(0, addresses),
                               *rc::gen::inRange<std::uint32_t>(0, 5)},
                              *rc::gen::arbitrary<bool>()));
  }
  crowd.push_back(quiet_for(0ms, {1, 0}, true));
  Order order = most_deserving_first(crowd);
  RC_ASSERT(order.front() == others);
  const Order gone = who_gives_way(crowd, kNow, {.count = others, .any = true});
  RC_ASSERT(std::find(gone.begin(), gone.end(), others) == gone.end());
  std::sort(order.begin(), order.end());
  Order all(crowd.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  RC_ASSERT(order == all);
}

}  // namespace
}  // namespace tofa::health::crowd_test
