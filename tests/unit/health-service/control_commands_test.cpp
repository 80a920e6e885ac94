// SPDX-License-Identifier: BSD-3-Clause
// Commands of admins, done on a real database: what is acknowledged is in it, and what is refused
// has changed nothing.
#include "healthd/control_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "healthd/sqlite.hpp"
#include "support.hpp"
#include "tofa/health_control.hpp"

namespace tofa::health::control_commands_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

constexpr double kNow = 20'000 * kDay + 7200;

class ControlCommands : public ::testing::Test {
 protected:
  ControlCommands() {
    config_.estimator = {.method = "gamma"};
    for (const char* host : {"n1", "n2", "n3.cluster"}) config_.hosts.push_back({host, {host, 1}});
    start();
  }

  // As after a restart.
  void start() {
    store_.reset();
    store_ = std::make_unique<Store>(path_);
    const StoreContents saved = store_->read();
    fleet_ = std::make_unique<Fleet>(config_);
    fleet_->restore(saved.hosts, saved.days);
    history_ = History(saved.latest_outages(History::kMost));
    for (const Change& change : saved.changes) history_.rename(change);
    exclusions_ = {};
    drains_ = {};
    for (const Change& change : saved.changes) {
      exclusions_.apply(change);
      drains_.apply(change);
    }
  }

  Controlled controlled() { return {config_, *fleet_, exclusions_, history_, nullptr, &drains_}; }
  ControlTask prepare(const std::string& request, double time = kNow) {
    return {request, {.uid = 1000, .gid = 1000, .groups = {}, .user = "alice"}, time, controlled()};
  }
  Json ask(const ControlRequest& request, double time = kNow) {
    ControlTask task = prepare(format_control_request(request), time);
    if (task.needs_store()) task.run(*store_);
    return Json::parse(task.finish(controlled()).text);
  }
  Json exclude(const std::string& hosts, std::optional<double> until = std::nullopt) {
    return ask({.command = ControlCommand::exclude, .hosts = hosts, .reason = "fan", .end = until});
  }
  Json event(const std::string& hosts, double start, std::optional<double> end = std::nullopt) {
    return ask({.command = ControlCommand::event,
                .hosts = hosts,
                .reason = "gpu",
                .start = start,
                .end = end});
  }
  void watch_for_a_day() {
    for (double time = kNow - kDay; time <= kNow; time += 600) {
      for (std::size_t host = 0; host < 3; ++host) fleet_->record(host, Observation{}, time);
    }
    store_->save(fleet_->unsaved(), {}, kNow, fleet_->unsaved_days(true));
  }
  bool excluded(const std::string& host, double time = kNow) const {
    return exclusions_.find(host, time) != nullptr;
  }

  test::ScratchDirectory directory_;
  std::string path_ = directory_ / "health.db";
  HealthdConfig config_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Fleet> fleet_;
  Exclusions exclusions_;
  Drains drains_;
  History history_;
};

TEST_F(ControlCommands, ExclusionsSurviveARestart) {
  EXPECT_EQ(exclude("n[1-2]", kNow + 10), Json::parse(R"({"version":1,"hosts":"n[1-2]","count":2,
                                                          "until":1728007210.0})"));
  EXPECT_EQ(exclude("n3")["hosts"], "n3.cluster") << "short names do";
  EXPECT_EQ(ask({.command = ControlCommand::include, .hosts = "n2,n2,n1"})["count"], 2);
  EXPECT_EQ(exclude("n1")["count"], 1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(excluded("n1"));
    EXPECT_FALSE(excluded("n2"));
    EXPECT_TRUE(excluded("n3.cluster"));
    start();
  }
  const auto changes = store_->read().changes;
  ASSERT_EQ(changes.size(), 6);
  EXPECT_EQ(changes[0], (Change{.id = 1,
                                .time = kNow,
                                .uid = 1000,
                                .user = "alice",
                                .host = "n1",
                                .reason = "fan",
                                .start = kNow,
                                .end = kNow + 10}));
  EXPECT_EQ(changes[3].kind, ChangeKind::include);
}

TEST_F(ControlCommands, IncludingWhatIsInUseChangesNothing) {
  exclude("n1");
  const Json answer = ask({.command = ControlCommand::include, .hosts = "n[1-2]"});
  EXPECT_EQ(answer["hosts"], "n1");
  EXPECT_EQ(answer["unchanged"], "n2");
  EXPECT_EQ(store_->read().changes.size(), 2);
}

TEST_F(ControlCommands, AllHostsOrNone) {
  EXPECT_THAT(exclude("n[1-2],n4")["error"].get<std::string>(), HasSubstr("does not watch \"n4\""));
  EXPECT_EQ(exclude("n4")["kind"], "unmet");
  EXPECT_THAT(exclude("x[1-9]")["error"].get<std::string>(), HasSubstr("\"x5\", ...;"));
  EXPECT_EQ(exclude("n[1-")["kind"], "bad-input");
  EXPECT_EQ(exclude("n1", kNow)["kind"], "unmet") << "has passed";
  EXPECT_FALSE(excluded("n1"));
  EXPECT_THAT(store_->read().changes, IsEmpty());
}

TEST_F(ControlCommands, AnEventCountsLikeAnyOutage) {
  EXPECT_EQ(event("n1", kNow - 3600, kNow - 1800)["count"], 1);
  EXPECT_EQ(event("n2", kNow - 60)["end"], kNow) << "it has just ended";
  for (int i = 0; i < 2; ++i) {
    EXPECT_DOUBLE_EQ(fleet_->rate(0, kNow), 1 / 24.0);
    EXPECT_EQ(fleet_->rate(2, kNow), 0);
    EXPECT_THAT(history_.latest(), ElementsAre(PastOutage{"n1", kNow - 3600, kNow - 1800, "gpu"},
                                               PastOutage{"n2", kNow - 60, kNow, "gpu"}));
    for (std::size_t host = 0; host < 3; ++host) fleet_->record(host, Observation{}, kNow + 1);
    fleet_->estimate(kNow + 1);
    const auto hosts = fleet_->snapshot(kNow + 1).hosts;
    EXPECT_GT((*hosts[0].within)[1], 1.5 * (*hosts[2].within)[1])
        << "the estimate knows, run " << i;
    EXPECT_EQ(hosts[0].probability, 0) << "it is over";
    start();
  }
}

TEST_F(ControlCommands, ARenamedHostKeepsItsHistory) {
  const ControlRequest request{
      .command = ControlCommand::merge, .hosts = "n1", .into = "m1", .reason = "moved"};
  watch_for_a_day();
  event("n1", kNow - 3600, kNow - 1800);
  EXPECT_EQ(ask(request)["kind"], "unmet") << "nobody watches the new name";
  config_.hosts[0] = {"m1", {"m1", 1}};
  const double later = kNow + 600;
  start();
  for (std::size_t host = 0; host < 3; ++host) fleet_->record(host, Observation{}, later);
  fleet_->estimate(later);
  const double as_new = (*fleet_->snapshot(later).hosts[0].within)[1];
  EXPECT_THAT(ask({.command = ControlCommand::merge, .hosts = "n2", .into = "m1", .reason = "r"},
                  later)["error"]
                  .get<std::string>(),
              HasSubstr("n2 is still watched"));
  EXPECT_THAT(ask({.command = ControlCommand::merge, .hosts = "n7", .into = "m1", .reason = "r"},
                  later)["error"]
                  .get<std::string>(),
              HasSubstr("nothing is recorded of \"n7\""));
  const Json answer = ask(request, later);
  EXPECT_EQ(answer["into"], "m1") << answer;
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(history_.latest(), ElementsAre(PastOutage{"m1", kNow - 3600, kNow - 1800, "gpu"}));
    double up = 0;
    for (const Day& day : fleet_->state(0).days) up += day.up_seconds;
    EXPECT_NEAR(up, kDay, 1) << "run " << i;
    fleet_->estimate(later);
    EXPECT_GT((*fleet_->snapshot(later).hosts[0].within)[1], 1.5 * as_new) << "run " << i;
    EXPECT_EQ(ask({}, later)["outages"][0]["host"], "m1") << "and it is exported so";
    start();
    for (std::size_t host = 0; host < 3; ++host) fleet_->record(host, Observation{}, later);
  }
  EXPECT_THAT(ask(request, later + 1)["error"].get<std::string>(),
              HasSubstr("nothing is recorded of \"n1\""))
      << "once is enough";
  const auto changes = store_->read().changes;
  ASSERT_EQ(changes.size(), 2);
  EXPECT_EQ(changes[1], (Change{.id = 2,
                                .time = later,
                                .uid = 1000,
                                .user = "alice",
                                .kind = ChangeKind::merge,
                                .host = "n1",
                                .reason = "moved",
                                .start = later,
                                .into = "m1"}));
  const Json row = ask({.changes = true}, later)["changes"][1];
  EXPECT_EQ(row["action"], "merge");
  EXPECT_EQ(row["into"], "m1");
}

TEST_F(ControlCommands, ARenamedHostStaysDrained) {
  watch_for_a_day();
  std::vector<Change> rows{
      {.time = kNow, .uid = 990, .kind = ChangeKind::drain, .host = "n1", .reason = "tofa: r"}};
  store_->save_changes(rows);
  config_.hosts[0] = {"m1", {"m1", 1}};
  start();
  ask({.command = ControlCommand::merge, .hosts = "n1", .into = "m1", .reason = "moved"}, kNow + 1);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(drains_.drained().size(), 1) << "run " << i;
    EXPECT_EQ(drains_.drained().begin()->first, "m1") << "run " << i;
    EXPECT_EQ(drains_.drained().begin()->second.reason, "tofa: r") << "run " << i;
    start();
  }
}

TEST_F(ControlCommands, TwoHostsAreNotMerged) {
  watch_for_a_day();
  config_.hosts.erase(config_.hosts.begin());
  start();
  const Json answer =
      ask({.command = ControlCommand::merge, .hosts = "n1", .into = "n2", .reason = "r"});
  EXPECT_THAT(answer["error"].get<std::string>(), HasSubstr("n1 and n2 were both up on 2024-10-0"));
  EXPECT_THAT(store_->read().changes, IsEmpty());
}

TEST_F(ControlCommands, ExplainsWhatIsPublished) {
  const ControlRequest request{
      .command = ControlCommand::explain, .hosts = "n1", .horizon = kHazardHorizons[1]};
  EXPECT_EQ(ask(request)["error"], "nothing is known of that host yet");
  event("n1", kNow - 3600, kNow - 1800);
  for (std::size_t host = 0; host < 3; ++host) fleet_->record(host, Observation{}, kNow + 1);
  fleet_->estimate(kNow + 1);
  const double published = (*fleet_->snapshot(kNow + 1).hosts[0].within)[1];
  const Json answer = ask(request, kNow + 1);
  EXPECT_NEAR(answer["probability"].get<double>(), -std::expm1(-published), 1e-3 * published);
  EXPECT_EQ(answer["formula"], "p = 1 - exp(-rate x hazard x days x doubt)");
  Json numbers;
  for (const Json& number : answer["numbers"]) {
    numbers[number["name"].get<std::string>()] = number["value"];
  }
  double product = 1;
  for (const char* factor : {"rate", "hazard", "days", "doubt"}) {
    product *= numbers[factor].get<double>();
  }
  EXPECT_NEAR(answer["probability"].get<double>(), -std::expm1(-product), 1e-9);
  EXPECT_NEAR(numbers["outages"].get<double>(), 1, 0.01);
  EXPECT_EQ(answer["outages"],
            Json::parse(R"([{"start":1728003600.0,"end":1728005400.0,"cause":"gpu"}])"));
  exclude("n1");
  const Json excluded = ask(request, kNow + 1);
  EXPECT_EQ(excluded["probability"], 1);
  EXPECT_EQ(excluded["formula"], "p = 1, because it is excluded");
  EXPECT_EQ(excluded["excluded"]["by"], "alice");
  EXPECT_EQ(ask({.command = ControlCommand::explain, .hosts = "n[1-2]", .horizon = 1})["error"],
            "one host is explained at a time");
  EXPECT_EQ(store_->read().changes.size(), 2) << "an explanation changes nothing";
}

TEST_F(ControlCommands, ExplainsMethodsThatOnlyKnowThePresent) {
  config_.estimator = {.method = "moving-average", .window = 10};
  config_.floor = 0.2;
  start();
  event("n1", kNow - 3600, kNow - 1800);
  for (std::size_t host = 0; host < 3; ++host) fleet_->record(host, Observation{}, kNow);
  const Json answer = ask({.command = ControlCommand::explain, .hosts = "n1", .horizon = 7200});
  EXPECT_EQ(answer["formula"], "now = missed / heartbeats; p = 1 - (1 - now) x exp(-rate x hours)");
  const SnapshotHost published = fleet_->snapshot(kNow).hosts[0];
  EXPECT_GT(published.rate, 0);
  EXPECT_NEAR(answer["probability"].get<double>(), -std::expm1(-published.rate * 2), 1e-12);
}

TEST_F(ControlCommands, NoOutageTwice) {
  event("n1", kNow - 3600, kNow - 1800);
  const Json answer = event("n[1-2]", kNow - 2000, kNow);
  EXPECT_THAT(answer["error"].get<std::string>(),
              HasSubstr("an outage of n1 at that time is known already (gpu)"));
  EXPECT_EQ(answer["kind"], "unmet");
  EXPECT_EQ(event("n2", kNow + 1)["kind"], "unmet") << "in the future";
  EXPECT_EQ(event("n2", kNow - 1, kNow + 1)["kind"], "unmet") << "not over";
  EXPECT_THAT(event("n2", kNow - 91 * kDay, kNow)["error"].get<std::string>(),
              HasSubstr("more than 90 days ago"));
  EXPECT_EQ(store_->read().outages.size(), 1);
  EXPECT_EQ(store_->read().changes.size(), 1);
  EXPECT_EQ(history_.latest().size(), 1);
  EXPECT_EQ(fleet_->rate(1, kNow), 0);
}

TEST_F(ControlCommands, ExportsAllInPieces) {
  std::vector<Transition> transitions;
  for (int i = 0; i < 7000; ++i) {
    transitions.push_back({"n1", false, 100000.0 + 2 * i, true, "slurm"});
    transitions.push_back({"n1", true, 100001.0 + 2 * i});
  }
  transitions.push_back({"n1", false, 200000});
  store_->save({}, transitions, kNow);
  std::vector<Json> pieces;
  ControlRequest request;
  for (Json answer = ask(request); !answer["outages"].empty(); answer = ask(request)) {
    pieces.push_back(answer["outages"]);
    request.after = answer["last"];
  }
  ASSERT_EQ(pieces.size(), 2);
  EXPECT_EQ(pieces[0].size() + pieces[1].size(), 7001);
  EXPECT_EQ(pieces[0][0],
            Json::parse(R"({"host":"n1","start":100000.0,"end":100001.0,"cause":"slurm",
                                          "observed":true})"));
  EXPECT_TRUE(pieces[1].back()["end"].is_null());
  exclude("n2", kNow + 5);
  event("n3", kNow - 10, kNow - 5);
  const Json changes = ask({.changes = true})["changes"];
  ASSERT_EQ(changes.size(), 2);
  EXPECT_EQ(changes[0]["until"], kNow + 5);
  EXPECT_EQ(changes[0]["reason"], "fan");
  EXPECT_EQ(changes[1]["action"], "event");
  EXPECT_EQ(changes[1]["start"], kNow - 10);
  EXPECT_EQ(changes[1]["user"], "alice");
}

TEST_F(ControlCommands, GarbageIsAnswered) {
  for (const char* text : {"", "x", "{}", "[[[[[[", "{\"version\":1,\"command\":\"exclude\"}"}) {
    ControlTask task = prepare(text);
    EXPECT_FALSE(task.needs_store()) << text;
    const auto [answer, done] = task.finish(controlled());
    EXPECT_EQ(Json::parse(answer)["kind"], "bad-input") << text;
    EXPECT_EQ(done, "");
  }
}

TEST_F(ControlCommands, NothingHappensBeforeItIsSaved) {
  const ControlRequest request{
      .command = ControlCommand::event, .hosts = "n[1-2]", .reason = "gpu", .start = kNow - 60};
  ControlTask task = prepare(format_control_request(request));
  EXPECT_TRUE(task.needs_store());
  EXPECT_TRUE(task.changes());
  EXPECT_EQ(fleet_->rate(0, kNow), 0);
  task.run(*store_);
  EXPECT_EQ(fleet_->rate(0, kNow), 0) << "memory belongs to another thread";
  EXPECT_EQ(store_->read().outages.size(), 2);
  // The configuration is read anew meanwhile, and n1 is no longer watched.
  config_.hosts.erase(config_.hosts.begin());
  Fleet fleet(config_);
  fleet.take_over(*fleet_, kNow);
  *fleet_ = std::move(fleet);
  const auto [answer, done] = task.finish(controlled());
  EXPECT_EQ(Json::parse(answer)["count"], 2);
  EXPECT_EQ(done, "alice entered an outage of n[1-2] (gpu)");
  EXPECT_GT(fleet_->rate(0, kNow), 0) << fleet_->name(0);
  EXPECT_EQ(fleet_->rate(1, kNow), 0) << fleet_->name(1);
  EXPECT_EQ(history_.latest().size(), 2);
}

TEST_F(ControlCommands, AnExportChangesNothing) {
  const ControlTask task = prepare(format_control_request({}));
  EXPECT_TRUE(task.needs_store());
  EXPECT_FALSE(task.changes());
}

TEST_F(ControlCommands, NobodyAltersWhatWasChanged) {
  exclude("n1");
  const Database other = open_database(path_, SQLITE_OPEN_READWRITE);
  EXPECT_THAT(test::error_of([&] { execute(other.get(), "UPDATE change SET user = 'bob'"); }),
              HasSubstr("never altered"));
  EXPECT_THAT(test::error_of([&] { execute(other.get(), "DELETE FROM change"); }),
              HasSubstr("never deleted"));
}

TEST_F(ControlCommands, WhatCannotBeSavedHasNotHappened) {
  const Database other = open_database(path_, SQLITE_OPEN_READWRITE);
  execute(other.get(), "DROP TABLE change");
  EXPECT_EQ(exclude("n1")["kind"], "unavailable");
  EXPECT_FALSE(excluded("n1"));
  EXPECT_EQ(event("n1", kNow - 60)["kind"], "unavailable");
  EXPECT_EQ(fleet_->rate(0, kNow), 0);
  Statement outages(other.get(), "SELECT count(*) FROM outage");
  ASSERT_TRUE(outages.step());
  EXPECT_EQ(outages.integer(0), 0);
}

}  // namespace
}  // namespace tofa::health::control_commands_test
