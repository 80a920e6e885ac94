// SPDX-License-Identifier: BSD-3-Clause
// One request per connection, whole and in time; and who may ask.
#include "healthd/control_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tofa/health_control.hpp"

namespace tofa::health::control_session_test {
namespace {

using ::testing::HasSubstr;
using State = ControlSession::State;

TEST(ControlSession, ReadsALineInAnyPieces) {
  const std::string line = "{\"version\":1}\n";
  for (std::size_t cut = 0; cut < line.size(); ++cut) {
    ControlSession session(0);
    session.take(line.substr(0, cut), false, 0);
    EXPECT_EQ(session.state(), State::reading) << cut;
    session.take(line.substr(cut), false, 0);
    EXPECT_EQ(session.state(), State::asked) << cut;
    EXPECT_EQ(session.request(), "{\"version\":1}");
  }
}

TEST(ControlSession, TheEndOfTheInputEndsTheLine) {
  ControlSession session(0);
  session.take("{}", false, 0);
  session.take("", true, 0);
  EXPECT_EQ(session.state(), State::asked);
  EXPECT_EQ(session.request(), "{}");
  ControlSession silent(0);
  silent.take("", true, 0);
  EXPECT_EQ(silent.state(), State::over) << "it wanted nothing";
}

TEST(ControlSession, RefusesWhatIsTooLongOrTooMuch) {
  ControlSession longest(0);
  longest.take(std::string(kLongestControlRequest - 1, 'x') + "\n", false, 0);
  EXPECT_EQ(longest.state(), State::asked);
  ControlSession longer(0);
  longer.take(std::string(kLongestControlRequest, 'x'), false, 0);
  EXPECT_EQ(longer.state(), State::reading);
  longer.take("\n", false, 0);
  EXPECT_EQ(longer.state(), State::answering);
  EXPECT_THAT(std::string(longer.to_send()), HasSubstr("longer than 16384 bytes"));
  ControlSession two(0);
  two.take("{}\n{}\n", false, 0);
  EXPECT_THAT(std::string(two.to_send()), HasSubstr("one request"));
}

TEST(ControlSession, DoesNotWaitForEver) {
  ControlSession session(100);
  session.take("{", false, 101);
  EXPECT_EQ(session.deadline(), 102) << "whatever dribbles in";
  session.pass(101.9);
  EXPECT_EQ(session.state(), State::reading);
  session.pass(102);
  EXPECT_EQ(session.state(), State::answering);
  EXPECT_THAT(std::string(session.to_send()), HasSubstr("no whole request within 2 s"));
  session.pass(111);
  EXPECT_EQ(session.state(), State::answering);
  session.pass(112);
  EXPECT_EQ(session.state(), State::over) << "nobody takes the answer";
}

TEST(ControlSession, WaitsForItsAnswerAndSendsItInPieces) {
  ControlSession session(0);
  session.take("{}\n", false, 0);
  session.pass(1e9);
  EXPECT_EQ(session.state(), State::asked);
  session.answer("abc", 1e9);
  EXPECT_EQ(session.to_send(), "abc");
  session.sent(2);
  EXPECT_EQ(session.to_send(), "c");
  EXPECT_EQ(session.state(), State::answering);
  session.sent(1);
  EXPECT_EQ(session.state(), State::over);
  session.answer("more", 1e9);
  EXPECT_EQ(session.state(), State::over);
}

TEST(ControlSession, WhoMayChangeThings) {
  constexpr uid_t own = 900;
  EXPECT_TRUE(may_change({.uid = 0, .gid = 0}, own, std::nullopt));
  EXPECT_TRUE(may_change({.uid = own, .gid = 900}, own, std::nullopt));
  EXPECT_FALSE(may_change({.uid = 1000, .gid = 1000, .groups = {0, 900}}, own, std::nullopt));
  EXPECT_FALSE(may_change({.uid = 1000, .gid = 1000, .groups = {0, 900}}, own, 50));
  EXPECT_TRUE(may_change({.uid = 1000, .gid = 1000, .groups = {4, 50}}, own, 50));
  EXPECT_TRUE(may_change({.uid = 1000, .gid = 50}, own, 50));
}

TEST(ControlSession, NamesOfUsersAreOneLine) {
  EXPECT_EQ(shown_user(7, "alice"), "alice");
  EXPECT_EQ(shown_user(7, "SITE\\alice"), "SITE\\alice");
  EXPECT_EQ(shown_user(7, ""), "uid 7");
  EXPECT_EQ(shown_user(7, "a\nb"), "uid 7");
  EXPECT_EQ(shown_user(7, std::string(65, 'x')), "uid 7");
}

}  // namespace
}  // namespace tofa::health::control_session_test
