// SPDX-License-Identifier: BSD-3-Clause
// Requests to tofa-healthd: what is written is read back, and each mistake is named.
#include "tofa/health_control.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace tofa {
namespace {

using ::testing::HasSubstr;

std::string mistake(const std::string& line) {
  return test::error_of([&] { parse_control_request(line); });
}

TEST(HealthControl, ReadsWhatItWrites) {
  for (const ControlRequest& request : {
           ControlRequest{.command = ControlCommand::exclude, .hosts = "n[1-3]", .reason = "disk"},
           ControlRequest{.command = ControlCommand::exclude,
           .hosts = "n1",
           .reason = "Lüfter \"2\", \\ fan",
           .end = 1700000000.5},
           ControlRequest{.command = ControlCommand::include, .hosts = "n1"},
           ControlRequest{.command = ControlCommand::include, .hosts = "n1", .reason = "repaired"},
           ControlRequest{
               .command = ControlCommand::event, .hosts = "n1", .reason = "manual", .start = 17e8},
           ControlRequest{.command = ControlCommand::event,
           .hosts = "n1",
           .reason = "gpu",
           .start = 17e8,
           .end = 17e8 + 1},
           ControlRequest{},
           ControlRequest{
               .command = ControlCommand::merge, .hosts = "n1", .into = "m1", .reason = "moved"},
           ControlRequest{.command = ControlCommand::explain, .hosts = "n1", .horizon = 3600},
           ControlRequest{.command = ControlCommand::drain},
           ControlRequest{.command = ControlCommand::drain, .hosts = "n[1-3]"},
           ControlRequest{.changes = true, .after = 12'345'678'901},
       }) {
    const std::string line = format_control_request(request);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(parse_control_request(line), request) << line;
  }
}

TEST(HealthControl, AMergeIsAboutTwoHosts) {
  const auto merge = [](const std::string& hosts, const std::string& into) {
    return mistake(R"({"version":1,"command":"merge","reason":"r","hosts":")" + hosts +
                   R"(","into":")" + into + R"("})");
  };
  EXPECT_THAT(merge("n[1-2]", "m1"), HasSubstr("\"n[1-2]\" is no host name"));
  EXPECT_THAT(merge("n1", "m1,m2"), HasSubstr("\"m1,m2\" is no host name"));
  EXPECT_THAT(merge("n1", "n1"), HasSubstr("both names are the same"));
  EXPECT_THAT(mistake(R"({"version":1,"command":"merge","hosts":"n1","into":"m1"})"),
              HasSubstr("\"reason\", a text, is missing"));
  EXPECT_THAT(mistake(R"({"version":1,"command":"explain","hosts":"n1","horizon":0})"),
              HasSubstr("\"horizon\" is no number of seconds"));
}

TEST(HealthControl, AnEventWithoutACauseWasEnteredByHand) {
  EXPECT_EQ(
      parse_control_request(R"({"version":1,"command":"event","hosts":"a","start":1})").reason,
      "manual");
}

TEST(HealthControl, NamesEveryMistake) {
  const std::string exclude = R"({"version":1,"command":"exclude","hosts":"n1","reason":"r")";
  const std::string event = R"({"version":1,"command":"event","hosts":"n1","start":10)";
  EXPECT_NO_THROW(parse_control_request(exclude + "}"));
  EXPECT_NO_THROW(parse_control_request(event + "}"));
  for (const char* text : {"", "exclude n1", "[]", "{", "1", "{} {}", "\xff", "{\"version\":1"}) {
    EXPECT_THAT(mistake(text), HasSubstr("is not one JSON object")) << text;
  }
  EXPECT_THAT(mistake("{}"), HasSubstr("\"version\" must be 1"));
  EXPECT_THAT(mistake(R"({"version":2,"command":"export"})"), HasSubstr("\"version\" must be 1"));
  EXPECT_THAT(mistake(R"({"version":1,"command":"reboot"})"),
              HasSubstr("unknown command \"reboot\"; known are exclude, include, event, export"));
  EXPECT_THAT(mistake(R"({"version":1,"command":1})"),
              HasSubstr("\"command\", a text, is missing"));
  EXPECT_THAT(mistake(exclude + R"(,"start":1})"),
              HasSubstr("unknown key \"start\"; exclude has hosts, reason, until"));
  EXPECT_THAT(mistake(exclude + R"(,"until":"tomorrow"})"), HasSubstr("\"until\" is no time"));
  EXPECT_THAT(mistake(exclude + R"(,"until":1e12})"), HasSubstr("\"until\" is no time"));
  EXPECT_THAT(mistake(R"({"version":1,"command":"exclude","hosts":"n1"})"),
              HasSubstr("\"reason\""));
  EXPECT_THAT(mistake(R"({"version":1,"command":"exclude","hosts":"n1","reason":" "})"),
              HasSubstr("no reason"));
  EXPECT_THAT(mistake(R"({"version":1,"command":"exclude","hosts":"n1","reason":"a\nb"})"),
              HasSubstr("control characters"));
  EXPECT_THAT(mistake(R"({"version":1,"command":"exclude","hosts":"","reason":"r"})"),
              HasSubstr("no host"));
  EXPECT_THAT(mistake(R"({"version":1,"command":"exclude","hosts":"n1","reason":")" +
                      std::string(kLongestReason + 1, 'x') + "\"}"),
              HasSubstr("longer than 200 bytes"));
  EXPECT_THAT(mistake(event + R"(,"end":9})"), HasSubstr("ends before it starts"));
  EXPECT_THAT(mistake(event + R"(,"cause":"two words"})"), HasSubstr("not one word"));
  EXPECT_THAT(mistake(event + R"(,"cause":"network"})"), HasSubstr("is kept for interruptions"));
  EXPECT_THAT(mistake(R"({"version":1,"command":"event","hosts":"n1"})"), HasSubstr("no start"));
  EXPECT_THAT(mistake(R"({"version":1,"command":"export","table":"host"})"),
              HasSubstr("\"table\""));
  for (const char* after : {"-1", "1.5", "18446744073709551615", "1e30", "\"1\""}) {
    EXPECT_THAT(mistake(R"({"version":1,"command":"export","table":"changes","after":)" +
                        std::string(after) + "}"),
                HasSubstr("\"after\""))
        << after;
  }
  EXPECT_THAT(mistake(exclude + std::string(kLongestControlRequest, ' ') + "}"),
              HasSubstr("too long"));
}

TEST(HealthControl, SaysWhyNobodyCanBeAsked) {
  const test::ScratchDirectory directory;
  const auto asked = [](const std::string& path) {
    return test::error_of([&] { ask_health_daemon(path, {}, 0.2); });
  };
  EXPECT_THAT(asked(directory / "none"), HasSubstr("--socket names another one"));
  directory.write("file", "");
  EXPECT_THAT(asked(directory / "file"), HasSubstr("is tofa-healthd running?"));
  EXPECT_THAT(asked(directory / std::string(200, 'x')), HasSubstr("is no path of a socket"));
  EXPECT_THAT(asked(""), HasSubstr("is no path of a socket"));
}

}  // namespace
}  // namespace tofa
