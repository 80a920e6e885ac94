// SPDX-License-Identifier: BSD-3-Clause
// Who gives way in the gate's crowd.
#include "gateway/crowd.hpp"

#include <gtest/gtest.h>

namespace tofa::health {
namespace {

using namespace std::chrono_literals;

const auto kNow = std::chrono::steady_clock::time_point(100s);

Standing quiet_for(std::chrono::milliseconds time, std::uint32_t address = 1) {
  return {address, kNow - time, true};
}

TEST(GatewayCrowd, NobodyWhoHasJustSpokenGivesWay) {
  EXPECT_EQ(who_gives_way({}, kNow, 100ms), std::nullopt);
  EXPECT_EQ(who_gives_way({quiet_for(0ms), quiet_for(99ms)}, kNow, 100ms), std::nullopt);
}

TEST(GatewayCrowd, TheOneQuietForLongestGivesWay) {
  EXPECT_EQ(who_gives_way({quiet_for(150ms), quiet_for(300ms), quiet_for(200ms)}, kNow, 100ms), 1);
}

TEST(GatewayCrowd, TheBusiestAddressGivesWayFirst) {
  EXPECT_EQ(
      who_gives_way({quiet_for(900ms, 7), quiet_for(200ms, 8), quiet_for(0ms, 8)}, kNow, 100ms), 1);
  EXPECT_EQ(who_gives_way({quiet_for(900ms, 7), quiet_for(0ms, 8), quiet_for(0ms, 8)}, kNow, 100ms),
            0)
      << "when none of the busiest address may";
}

TEST(GatewayCrowd, WhoMayNotGoStays) {
  Standing waiting = quiet_for(900ms);
  waiting.may_go = false;
  EXPECT_EQ(who_gives_way({waiting}, kNow, 100ms), std::nullopt);
}

}  // namespace
}  // namespace tofa::health
