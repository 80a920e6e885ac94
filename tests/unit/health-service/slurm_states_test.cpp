// SPDX-License-Identifier: BSD-3-Clause
// What Slurm's node states mean, and how several sources make one observation.
#include "healthd/slurm_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support.hpp"

namespace tofa::health::slurm_states_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using V = Verdict;

TEST(SlurmStates, MeanThis) {
  for (const char* state : {"idle", "allocated", "mixed", "mixed-", "idle@", "allocated+",
                            "completing", "reserved", "planned", "idle-"}) {
    EXPECT_EQ(judge_state(state), NodeHealth::well) << state;
  }
  for (const char* state : {"down", "down@", "fail", "failing", "error"}) {
    EXPECT_EQ(judge_state(state), NodeHealth::failed) << state;
  }
  for (const char* state : {"down*", "fail*", "failing*", "error*"}) {
    EXPECT_EQ(judge_state(state), NodeHealth::lost) << state;
  }
  for (const char* state :
       {"idle*", "allocated*", "mixed*", "completing*", "unknown*", "reserved*", "planned*"}) {
    EXPECT_EQ(judge_state(state), NodeHealth::silent) << state;
  }
  for (const char* state :
       {"drained",       "drained*",    "draining",      "draining@",    "maint",
        "maint*",        "idle~",       "idle#",         "down~",        "down%",
        "idle!",         "down$",       "idle$",         "down^",        "reboot^",
        "reboot_issued", "powering_up", "powering_down", "powered_down", "power_down"}) {
    EXPECT_EQ(judge_state(state), NodeHealth::planned) << state;
  }
  for (const char* state : {"unknown", "future", "perfctrs", "inval", "blocked", "something_new"}) {
    EXPECT_EQ(judge_state(state), NodeHealth::no_opinion) << state;
  }
}

TEST(SlurmStates, AreReadStrictly) {
  const auto states = parse_node_states("n1 idle\nn1 idle\n\nn2  down*\r\n");
  ASSERT_EQ(states.size(), 3);
  EXPECT_EQ(states[2].name, "n2");
  EXPECT_EQ(states[2].health, NodeHealth::lost);
  EXPECT_TRUE(parse_node_states("").empty());
  for (const char* garbage : {"n1\n", "n1 idle more\n", "n1 IDLE\n", "n1 *\n", "n1 idle*x\n",
                              "n/1 idle\n", "slurm_load_node: error\n"}) {
    EXPECT_THAT(test::error_of([&] { parse_node_states(std::string("n0 idle\n") + garbage); }),
                HasSubstr("line 2: "))
        << garbage;
  }
}

TEST(SlurmStates, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    try {
      SlurmOpinions({"a", "b"}).judge(parse_node_states(text));
    } catch (const Error& error) {
      RC_ASSERT(error.kind() == ErrorKind::bad_input);
    }
  }));
}

TEST(SlurmOpinions, HaveVerdictsOnHostsThatSlurmKnows) {
  SlurmOpinions opinions({"n1", "n2", "n3.cluster", "stranger", "n5"});
  EXPECT_THAT(opinions
                  .judge(parse_node_states(
                      "n1 idle\nn2.cluster down\nn3 mixed\nn4 idle\nn5 drained\nn1 idle\n"))
                  .verdicts,
              ElementsAre(V::up, V::down, V::up, V::unknown, V::planned));
  EXPECT_EQ(opinions.known_hosts(), 4);
}

TEST(SlurmOpinions, SilenceCountsTwiceInARow) {
  SlurmOpinions opinions({"a"});
  const auto verdict = [&](const std::string& state) {
    return opinions.judge(parse_node_states("a " + state + "\n")).verdicts[0];
  };
  EXPECT_EQ(verdict("idle*"), V::unknown);
  EXPECT_EQ(verdict("idle"), V::up);
  EXPECT_EQ(verdict("idle*"), V::unknown);
  EXPECT_EQ(verdict("idle*"), V::missed);
  EXPECT_EQ(verdict("idle*"), V::missed);
  EXPECT_EQ(verdict("drained*"), V::planned);
  EXPECT_EQ(verdict("unknown*"), V::unknown);
  EXPECT_EQ(verdict("unknown*"), V::missed);
  EXPECT_EQ(verdict("idle"), V::up);
  EXPECT_EQ(verdict("down*"), V::missed) << "whether it or the network failed, Slurm does not know";
  EXPECT_EQ(verdict("down"), V::down);
}

// What tofa-slurm-nodes says of one node.
NodeHealth health(const std::string& state, const std::string& flags = "") {
  return judge_node(
      parse_slurm_nodes(R"({"node":"a","state":")" + state + R"(","flags":[)" + flags + "]}")
          .at(0));
}

TEST(SlurmNodes, MeanThis) {
  for (const char* state : {"idle", "allocated", "mixed"}) {
    EXPECT_EQ(health(state), NodeHealth::well) << state;
    EXPECT_EQ(health(state, R"("silent")"), NodeHealth::silent) << state;
    EXPECT_EQ(health(state, R"("fail")"), NodeHealth::failed) << state;
  }
  for (const char* state : {"down", "error"}) {
    EXPECT_EQ(health(state), NodeHealth::failed) << state;
    EXPECT_EQ(health(state, R"("silent")"), NodeHealth::lost) << state;
    for (const char* flag : {R"("drain")", R"("maint")", R"("rebooting")", R"("power")",
                             R"("drain","silent")", R"("fail","drain")"}) {
      EXPECT_EQ(health(state, flag), NodeHealth::planned) << state << flag;
      EXPECT_EQ(health("idle", flag), NodeHealth::planned) << flag;
    }
  }
  EXPECT_EQ(health("unknown", R"("silent")"), NodeHealth::silent);
  EXPECT_EQ(health("unknown"), NodeHealth::no_opinion);
  EXPECT_EQ(health("future"), NodeHealth::no_opinion);
  EXPECT_EQ(health("idle", R"("invalid")"), NodeHealth::no_opinion);
}

TEST(SlurmNodes, ThoseThatWereDrainedSinceTheyMayFailAreStillWatched) {
  const auto drained = [](const std::string& reason, SlurmState state) {
    return judge_node({.name = "a",
                       .state = state,
                       .flags = static_cast<unsigned>(SlurmFlag::drain),
                       .reason = reason});
  };
  EXPECT_EQ(drained("tofa: outage within 24 h", SlurmState::idle), NodeHealth::well);
  EXPECT_EQ(drained("tofa: outage within 24 h", SlurmState::down), NodeHealth::failed);
  EXPECT_EQ(drained("as tofa: says", SlurmState::down), NodeHealth::planned);
}

// As recorded on a cluster of Slurm 22.05.
constexpr const char* kRecorded =
    R"({"node":"n000","state":"idle","flags":[],"boot":1795330000.0,"started":1795330020.0,"busy":1795357000.0}
{"node":"n001","state":"down","flags":["silent"],"reason":"Not responding","uid":64030,"by":"slurm","since":1795357068.0,"boot":1795330001.0,"started":1795330021.0,"busy":1795357000.0}
{"node":"n002","state":"mixed","flags":["drain"],"reason":"fan \u00e4","uid":0,"by":"root","since":1795357068.0,"boot":1795330001.0,"started":1795330021.0,"busy":1795357000.0}
)";

TEST(SlurmOpinions, KeepWhyANodeIsDownAndWhoSaidSo) {
  SlurmOpinions opinions({"n000", "n001", "n002"});
  const auto judged = opinions.judge(node_states(parse_slurm_nodes(kRecorded)));
  EXPECT_THAT(judged.verdicts, ElementsAre(V::up, V::missed, V::planned));
  EXPECT_THAT(judged.causes, ElementsAre(std::pair<const std::size_t, std::string>(
                                 1, "slurm by slurm: Not responding")));
  const auto silent = parse_slurm_nodes(R"({"node":"n000","state":"idle","flags":["silent"]})");
  (void)opinions.judge(node_states(silent));
  EXPECT_EQ(opinions.judge(node_states(silent)).causes.at(0), "slurm: it does not respond");
  EXPECT_THAT(judged.booted, ElementsAre(1795330000, 1795330001, 1795330001));
}

TEST(SlurmOpinions, ABootIsNewWhereSlurmdWasStartedSoonAfterIt) {
  SlurmOpinions opinions({"a"});
  const auto booted = [&](double boot, double started) {
    return opinions.judge({{"a", NodeHealth::well, "", boot, started}}).booted.at(0);
  };
  EXPECT_EQ(booted(0, 0), 0) << "nothing is known";
  EXPECT_EQ(booted(1000, 9000), 1000);
  EXPECT_EQ(booted(5000, 9000), 1000) << "slurmctld's clock was set";
  EXPECT_EQ(booted(5000, 9500), 1000) << "slurmd was started again, long after that boot";
  EXPECT_EQ(booted(0, 0), 1000) << "it is in no answer";
  EXPECT_EQ(booted(9600, 9620), 9600);
  EXPECT_EQ(booted(99'000, 9700), 9700) << "no slurmd was started before its node";
}

// One host, one verdict of heartbeats, one of Slurm.
std::optional<Observation> both(Verdict heartbeat, Verdict slurm, bool fresh = true) {
  return combine({{.source = "heartbeat", .verdicts = {heartbeat}},
                  {.source = "slurm", .verdicts = {slurm}, .fresh = fresh}},
                 0);
}

TEST(Combine, IsUpOnlyIfNoSourceSaysThatItIsDown) {
  EXPECT_TRUE(both(V::up, V::up)->up);
  EXPECT_TRUE(both(V::up, V::unknown)->up);
  EXPECT_TRUE(both(V::unknown, V::up)->up);
  EXPECT_FALSE(both(V::unknown, V::unknown));
  const auto by_slurm = both(V::up, V::down);
  EXPECT_FALSE(by_slurm->up);
  EXPECT_TRUE(by_slurm->certain);
  EXPECT_TRUE(by_slurm->seen);
  EXPECT_EQ(by_slurm->cause, "slurm");
  const auto by_heartbeat = both(V::missed, V::up);
  EXPECT_FALSE(by_heartbeat->up);
  EXPECT_FALSE(by_heartbeat->certain);
  EXPECT_EQ(by_heartbeat->cause, "heartbeat");
  EXPECT_EQ(both(V::missed, V::down)->cause, "slurm") << "Slurm is certain, heartbeats are not yet";
  EXPECT_FALSE(both(V::missed, V::down)->seen);
}

TEST(Combine, TheCauseIsWhatTheSourceSaysOfThisHost) {
  const std::vector<SourceReport> reports{{.source = "heartbeat",
                                           .verdicts = {V::down, V::down},
                                           .causes = {{1, "check gpu: no device"}}}};
  EXPECT_EQ(combine(reports, 0)->cause, "heartbeat");
  EXPECT_EQ(combine(reports, 1)->cause, "check gpu: no device");
}

TEST(Combine, OutOfServiceOnPurposeIfAnySourceSaysSo) {
  const auto silent = both(V::missed, V::planned);
  EXPECT_TRUE(silent->planned);
  EXPECT_FALSE(silent->up);
  EXPECT_TRUE(both(V::up, V::planned)->planned);
  EXPECT_TRUE(both(V::up, V::planned)->seen);
  EXPECT_FALSE(both(V::unknown, V::planned)->seen) << "nobody has seen it up";
  EXPECT_FALSE(both(V::up, V::up)->planned);
}

TEST(Combine, KnowsTheBootThatASourceTells) {
  const SourceReport heartbeats{.source = "heartbeat", .verdicts = {V::up}, .boots = {17}};
  EXPECT_EQ(combine({heartbeats, {.source = "slurm", .verdicts = {V::up}}}, 0)->boot, 17);
}

TEST(Combine, KnowsWhenTheHostStarted) {
  const SourceReport slurm{.source = "slurm", .verdicts = {V::up}, .booted = {1000}};
  EXPECT_EQ(combine({slurm, {.source = "folder", .verdicts = {V::up}}}, 0)->booted, 1000);
}

TEST(Combine, AnOldVerdictAddsNothingButHolds) {
  EXPECT_FALSE(both(V::unknown, V::up, false));
  EXPECT_FALSE(both(V::unknown, V::down, false));
  EXPECT_FALSE(both(V::up, V::down, false)->up);
}

TEST(Combine, WhileASourceIsPendingUpIsTentative) {
  const auto observation = combine({{.source = "heartbeat", .verdicts = {V::up}},
                                    {.source = "slurm", .verdicts = {V::unknown}, .pending = true}},
                                   0);
  EXPECT_TRUE(observation->up);
  EXPECT_TRUE(observation->tentative);
}

}  // namespace
}  // namespace tofa::health::slurm_states_test
