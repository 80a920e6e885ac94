// SPDX-License-Identifier: BSD-3-Clause
// Admins' requests at a disk that hangs, refuses or works: whoever asks is answered, and nobody is
// told of what has not happened.
#include "healthd/control_desk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.hpp"

namespace tofa::health::control_desk_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Json = nlohmann::json;

constexpr double kNow = 20'000 * kDay;
constexpr std::chrono::seconds kDeadline{30};

class ControlDeskTest : public ::testing::Test {
 protected:
  ControlDeskTest() {
    for (const char* host : {"n1", "n2"}) config_.hosts.push_back({host, {host, 1}});
    fleet_ = std::make_unique<Fleet>(config_);
  }

  void ask(ControlDesk::Connection connection, const ControlRequest& request) {
    desk_.take(connection, {.uid = 0, .user = "root"}, format_control_request(request), now_);
  }
  void exclude(ControlDesk::Connection connection, const std::string& host) {
    ask(connection, {.command = ControlCommand::exclude, .hosts = host, .reason = "fan"});
  }
  // As the daemon does it between two rounds. Publishing takes no time here.
  ControlDesk::Answers serve() {
    const Controlled on{config_, *fleet_, exclusions_, history_};
    const std::uint64_t done = writer_.news().done;
    desk_.finish(done, now_, on);
    if (desk_.must_publish(now_)) {
      ++published_;
      desk_.published(done);
    }
    desk_.start(writer_, now_, kNow, on);
    return desk_.answers(writer_, done, now_);
  }
  ControlDesk::Answers serve_all() {
    ControlDesk::Answers all;
    while (desk_.number() > 0 || desk_.deadline() < std::numeric_limits<double>::infinity()) {
      for (auto& answer : serve()) all.push_back(std::move(answer));
      EXPECT_TRUE(writer_.finish(desk_.number(), Writer::Clock::now() + kDeadline));
    }
    return all;
  }
  void hang() {
    const auto begun = std::make_shared<std::promise<void>>();
    writer_.run([begun, released = release_.get_future().share()](Store&) {
      begun->set_value();
      released.wait_for(kDeadline);
    });
    EXPECT_EQ(begun->get_future().wait_for(kDeadline), std::future_status::ready);
  }
  bool excluded(const std::string& host) const { return exclusions_.find(host, kNow) != nullptr; }

  test::ScratchDirectory directory_;
  HealthdConfig config_;
  std::unique_ptr<Fleet> fleet_;
  Exclusions exclusions_;
  History history_;
  ControlDesk desk_;
  std::promise<void> release_;
  Writer writer_{[this] { return Store(directory_ / "health.db"); }};
  double now_ = 100;
  int published_ = 0;
};

TEST_F(ControlDeskTest, AnswersAllInTurn) {
  exclude(1, "n1");
  ask(2, {.command = ControlCommand::include, .hosts = "n1"});
  exclude(3, "n9");
  exclude(4, "n2");
  ask(5, {.changes = true});
  std::vector<std::size_t> counts(6);
  for (const auto& [connection, text] : serve_all()) {
    ++counts.at(connection);
    EXPECT_EQ(Json::parse(text).contains("error"), connection == 3) << text;
    if (connection == 5) {
      EXPECT_THAT(Json::parse(text)["changes"], SizeIs(3));
    }
  }
  EXPECT_THAT(counts, ::testing::ElementsAre(0, 1, 1, 1, 1, 1));
  EXPECT_FALSE(excluded("n1"));
  EXPECT_TRUE(excluded("n2"));
  EXPECT_GT(published_, 0);
}

TEST_F(ControlDeskTest, IsToldWhenItIsSavedAndPublished) {
  exclude(1, "n1");
  EXPECT_THAT(serve(), IsEmpty());
  EXPECT_TRUE(desk_.changing());
  const std::uint64_t number = desk_.number();
  ASSERT_TRUE(writer_.finish(number, Writer::Clock::now() + kDeadline));
  EXPECT_FALSE(excluded("n1")) << "not before the daemon looks";
  const Controlled on{config_, *fleet_, exclusions_, history_};
  EXPECT_EQ(desk_.finish(number, now_, on), "root excluded n1 (fan)");
  EXPECT_TRUE(excluded("n1"));
  ASSERT_TRUE(desk_.must_publish(now_));
  desk_.published(number + 2);
  EXPECT_THAT(desk_.answers(writer_, number + 1, now_), IsEmpty());
  EXPECT_THAT(desk_.answers(writer_, number + 2, now_), SizeIs(1));
}

TEST_F(ControlDeskTest, DeclinesAllThatWait) {
  exclude(1, "n1");
  exclude(2, "n2");
  desk_.decline("not yet");
  const auto answers = desk_.answers(writer_, 0, now_);
  ASSERT_THAT(answers, SizeIs(2));
  for (const auto& [connection, text] : answers) {
    EXPECT_EQ(Json::parse(text)["error"], "not yet");
  }
  EXPECT_THAT(serve_all(), IsEmpty());
  EXPECT_FALSE(excluded("n1"));
}

TEST_F(ControlDeskTest, ADiskThatHangsIsNotWaitedFor) {
  hang();
  exclude(1, "n1");
  exclude(2, "n2");
  EXPECT_THAT(serve(), IsEmpty());
  EXPECT_EQ(desk_.deadline(), now_ + ControlDesk::kPatience);
  now_ += ControlDesk::kPatience;
  const auto answers = serve();
  ASSERT_THAT(answers, SizeIs(2));
  for (const auto& [connection, text] : answers) {
    EXPECT_THAT(Json::parse(text)["error"].get<std::string>(), HasSubstr("nothing was changed"));
    EXPECT_EQ(Json::parse(text)["kind"], "unavailable");
  }
  EXPECT_FALSE(desk_.changing()) << "what was not begun is taken back";
  release_.set_value();
  ask(3, {.changes = true});
  EXPECT_THAT(Json::parse(serve_all().at(0).second)["changes"], IsEmpty());
  EXPECT_FALSE(excluded("n1"));
}

TEST_F(ControlDeskTest, WhatMayStillBeDoneIsNotDenied) {
  exclude(1, "n1");
  serve();
  ASSERT_TRUE(writer_.finish(desk_.number(), Writer::Clock::now() + kDeadline));
  now_ += ControlDesk::kPatience;
  // The disk is done, but the daemon has not heard of it yet.
  const auto answers = desk_.answers(writer_, 0, now_);
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_THAT(answers[0].second, HasSubstr("it is not known whether this will be done"));
  EXPECT_TRUE(desk_.changing());
  EXPECT_THAT(serve_all(), SizeIs(1)) << "to nobody";
  EXPECT_TRUE(excluded("n1")) << "memory follows the disk";
}

TEST_F(ControlDeskTest, ManyChangesAreNotPublishedOneByOne) {
  for (int i = 1; i <= 60; ++i) exclude(static_cast<std::uint64_t>(i), i % 2 == 0 ? "n1" : "n2");
  EXPECT_THAT(serve_all(), SizeIs(60));
  EXPECT_LE(published_, 2);
}

TEST_F(ControlDeskTest, ButAreNotKeptBackForLong) {
  exclude(1, "n1");
  serve();
  ASSERT_TRUE(writer_.finish(desk_.number(), Writer::Clock::now() + kDeadline));
  exclude(2, "n2");
  const Controlled on{config_, *fleet_, exclusions_, history_};
  desk_.finish(desk_.number(), now_, on);
  EXPECT_FALSE(desk_.must_publish(now_)) << "there is more to come";
  now_ += ControlDesk::kGathering;
  EXPECT_TRUE(desk_.must_publish(now_));
}

TEST_F(ControlDeskTest, ARoundThatFallsIntoAChangeIsPublishedAfterIt) {
  exclude(1, "n1");
  serve();
  desk_.put_off(now_);
  EXPECT_FALSE(desk_.must_publish(now_ + 100)) << "not while it is being saved";
  serve_all();
  EXPECT_EQ(published_, 1);
}

TEST_F(ControlDeskTest, NobodyIsAnsweredAtAnotherSocket) {
  exclude(1, "n1");
  exclude(2, "n2");
  serve();
  desk_.hang_up();
  for (const auto& [connection, text] : serve_all()) EXPECT_EQ(connection, 0) << text;
  EXPECT_TRUE(excluded("n1"));
  EXPECT_FALSE(excluded("n2")) << "it was not begun";
}

}  // namespace
}  // namespace tofa::health::control_desk_test
