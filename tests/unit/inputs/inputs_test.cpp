// SPDX-License-Identifier: BSD-3-Clause
// The rules by which inputs are found: whose word counts, what becomes of a source that fails, and
// what is told of where an input came from.
#include "tofa/inputs.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cmath>

#include "support.hpp"

namespace tofa {
namespace {

using test::error_of;
using test::ScratchDirectory;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class InputsTest : public testing::Test {
 protected:
  void SetUp() override {
    clear();
    ::setenv("TOFA_SITE_FILE", (scratch_ / "site.toml").c_str(), 1);
    ::setenv("XDG_CACHE_HOME", (scratch_ / "cache").c_str(), 1);
  }
  void TearDown() override { clear(); }

  static void clear() {
    for (const char* name : {"TOFA_TOPOLOGY", "TOFA_OUTAGES", "TOFA_HEALTH", "TOFA_LINK_LOAD",
                             "TOFA_SITE_FILE", "XDG_CACHE_HOME"})
      ::unsetenv(name);
  }

  std::string ring(const std::string& name, const std::string& nodes) const {
    return scratch_.write(name,
                          "[topology]\nkind = \"torus\"\nshape = [4]\nnodes = \"" + nodes + "\"\n");
  }

  // A request that knows four nodes and four ranks.
  static InputRequest request() {
    InputRequest request;
    request.nodes = {"n0", "n1", "n2", "n3"};
    request.ranks = 4;
    return request;
  }

  ScratchDirectory scratch_;
};

TEST_F(InputsTest, WhoseTopologyCounts) {
  InputNotes notes(Leniency::command);
  const auto origin = [&](const InputRequest& request) {
    return InputReader(request, notes).network().origin;
  };
  InputRequest asked = request();
  EXPECT_EQ(origin(asked), "none given; all nodes are taken to be equally far from each other");
  asked.manager = {"Slurm", [this] { return ring("manager.toml", "n[0-3]"); }, nullptr};
  EXPECT_EQ(origin(asked), "torus 4 (" + (scratch_ / "manager.toml") + ") from Slurm");
  ring("site-ring.toml", "n[0-3]");
  scratch_.write("site.toml", "topology = \"site-ring.toml\"\n");
  EXPECT_THAT(origin(asked), HasSubstr("site-ring.toml) from " + (scratch_ / "site.toml")));
  asked.launcher.topology = ring("launcher.toml", "n[0-3]");
  asked.launcher.named_by["topology"] = "plugstack.conf";
  EXPECT_THAT(origin(asked), HasSubstr("launcher.toml) from plugstack.conf"));
  ::setenv("TOFA_TOPOLOGY", ring("environment.toml", "n[0-3]").c_str(), 1);
  EXPECT_THAT(origin(asked), HasSubstr("environment.toml) from TOFA_TOPOLOGY"));
  asked.topology = ring("asked.toml", "n[0-3]");
  EXPECT_EQ(origin(asked), "torus 4 (" + (scratch_ / "asked.toml") + ")");
  asked.topology = "";
  EXPECT_THAT(origin(asked), StartsWith("none given")) << "an empty value declines";
  EXPECT_THAT(notes.warnings(), IsEmpty());
}

// A health service that hands out the topology file `file` and knows all of n0 to n3.
class ServiceTopologyTest : public InputsTest {
 protected:
  InputRequest with_service(const std::string& file) const {
    return with_program("if [ \"$5\" = --topology ]; then printf 'tofa-topology %d\\n' $(wc -c <" +
                        file + "); cat " + file + "; else printf '%s' '" + kAnswer + "'; fi");
  }
  InputRequest with_program(const std::string& script) const {
    const std::string program = scratch_.write("helper", "#!/bin/sh\n" + script + "\n");
    ::chmod(program.c_str(), 0755);
    ::setenv("TOFA_HEALTH", "1.2.3.4:5", 1);
    InputRequest asks = request();
    asks.query_program = program;
    return asks;
  }

  const std::string kAnswer =
      "{\"version\":1,\"time\":5,\"period\":1,\"hosts\":[{\"host\":\"n0\",\"probability\":0,"
      "\"polled\":5,\"state\":\"up\"}],\"outages\":[]}";
};

TEST_F(ServiceTopologyTest, CountsAfterTheSiteFileAndBeforeTheManager) {
  InputNotes notes(Leniency::launcher);
  InputRequest asks = with_service(ring("service.toml", "n[0-3]"));
  asks.manager = {"Slurm", [this] { return ring("manager.toml", "n[0-3]"); }, nullptr};
  InputReader reader(asks, notes);
  const NetworkInput network = reader.network();
  EXPECT_EQ(network.origin,
            "torus 4 (topology of the health service at 1.2.3.4:5) from TOFA_HEALTH, unchecked (no "
            "health_key)");
  EXPECT_EQ(network.service, "1.2.3.4:5");
  EXPECT_THAT(network.node_of, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(reader.outages(network).origin, StartsWith("health service at 1.2.3.4:5 (1 hosts)"));

  ring("site-ring.toml", "n[0-3]");
  scratch_.write("site.toml", "topology = \"site-ring.toml\"\n");
  EXPECT_THAT(InputReader(asks, notes).network().origin, HasSubstr("site-ring.toml"));
  scratch_.write("site.toml", "");
  asks.topology = "";
  EXPECT_THAT(InputReader(asks, notes).network().origin, StartsWith("none given"))
      << "none is wanted";
  asks.topology.reset();
  asks.health = "";
  EXPECT_THAT(InputReader(asks, notes).network().origin, HasSubstr("from Slurm"));
  EXPECT_THAT(notes.warnings(), IsEmpty());
}

TEST_F(ServiceTopologyTest, OneThatDoesNotFitIsOneWarning) {
  for (const std::string& file :
       {ring("other.toml", "m[0-3]"), scratch_.write("garbled.toml", "[topology\n")}) {
    InputNotes notes(Leniency::command);
    InputRequest asks = with_service(file);
    asks.manager = {"Slurm", [this] { return ring("manager.toml", "n[0-3]"); }, nullptr};
    EXPECT_THAT(InputReader(asks, notes).network().origin, HasSubstr("from Slurm"));
    EXPECT_THAT(notes.warnings(),
                ElementsAre(AllOf(StartsWith("topology of the health service at 1.2.3.4:5"),
                                  HasSubstr("; it is not used"))));
  }
}

TEST_F(ServiceTopologyTest, AServiceThatDoesNotAnswerIsAskedOnceAndToldOfOnce) {
  InputNotes notes(Leniency::launcher);
  const std::string count = scratch_ / "count";
  InputReader reader(with_program("echo asked >>" + count + "; exit 4"), notes);
  const NetworkInput network = reader.network();
  EXPECT_THAT(network.origin, StartsWith("none given"));
  EXPECT_THAT(notes.warnings(), IsEmpty());
  EXPECT_THAT(reader.outages(network).origin, StartsWith("not available"));
  EXPECT_THAT(notes.warnings(), ElementsAre(HasSubstr("did not answer within")));
  EXPECT_EQ(test::contents(count), "asked\n");
}

TEST_F(ServiceTopologyTest, WhereOutagesComeFromElsewhereItIsToldWithTheTopology) {
  InputNotes notes(Leniency::launcher);
  InputRequest asks = with_program("exit 4");
  asks.outages = scratch_.write("outages", "n0 0.5\n");
  InputReader reader(asks, notes);
  (void)reader.outages(reader.network());
  EXPECT_THAT(notes.warnings(), ElementsAre(HasSubstr("its topology is not used")));
}

TEST_F(ServiceTopologyTest, OneWithoutATopologyIsNoNews) {
  InputNotes notes(Leniency::launcher);
  InputReader reader(with_program("printf '%s' '" + kAnswer + "'"), notes);
  const NetworkInput network = reader.network();
  EXPECT_TRUE(network.assumed);
  EXPECT_THAT(reader.outages(network).origin, StartsWith("health service at"));
  EXPECT_THAT(notes.warnings(), IsEmpty());
}

TEST_F(InputsTest, WhatWasAskedForMustDoForTheCommandOnly) {
  const auto none = scratch_ / "none";
  const auto ask = [&](Leniency leniency, auto set, auto read) {
    InputNotes notes(leniency);
    InputRequest asked = request();
    set(asked);
    InputReader reader(asked, notes);
    read(reader);
    return notes.warnings();
  };
  const auto expect = [&](auto set, auto read, const std::string& instead) {
    EXPECT_THAT(error_of([&] { ask(Leniency::command, set, read); }), HasSubstr("none"));
    EXPECT_THAT(ask(Leniency::launcher, set, read),
                ElementsAre(AllOf(HasSubstr("none"), HasSubstr("; " + instead))));
    EXPECT_THAT(error_of([&] { ask(Leniency::strict, set, read); }),
                AllOf(HasSubstr("none"), HasSubstr("strict")));
  };
  expect([&](InputRequest& asked) { asked.graph = none; },
         [](InputReader& reader) { EXPECT_TRUE(reader.graph().neighbours); },
         "ranks are taken to talk to their neighbours");
  expect([&](InputRequest& asked) { asked.topology = none; },
         [](InputReader& reader) { EXPECT_TRUE(reader.network().assumed); },
         "all nodes are taken to be equally far from each other");
  expect(
      [&](InputRequest& asked) { asked.outages = none; },
      [](InputReader& reader) { EXPECT_EQ(reader.outages(reader.network()).map.suspects(), 0U); },
      "no node is taken to be suspect");
}

TEST_F(InputsTest, ADefaultThatCannotBeUsedFailsNothing) {
  for (const Leniency leniency : {Leniency::command, Leniency::launcher}) {
    InputNotes notes(leniency);
    InputReader reader(request(), notes);
    ::setenv("TOFA_TOPOLOGY", ring("others.toml", "x[0-3]").c_str(), 1);
    ::setenv("TOFA_OUTAGES", (scratch_ / "none").c_str(), 1);
    const NetworkInput network = reader.network();
    EXPECT_TRUE(network.assumed);
    EXPECT_EQ(network.node_of.size(), 4U);
    EXPECT_THAT(reader.outages(network).origin, StartsWith("not available; "));
    EXPECT_THAT(notes.warnings(), ElementsAre(HasSubstr("(named by TOFA_TOPOLOGY); all nodes"),
                                              HasSubstr("(named by TOFA_OUTAGES); no node")));
  }
}

TEST_F(InputsTest, WithoutNodesNothingCanBeAssumedAboutThem) {
  InputNotes notes(Leniency::launcher);
  EXPECT_THAT(error_of([&] { InputReader({}, notes).network(); }), HasSubstr("no topology"));
  ::setenv("TOFA_TOPOLOGY", "none.toml", 1);
  EXPECT_THAT(error_of([&] { InputReader({}, notes).network(); }),
              AllOf(HasSubstr("none.toml"), HasSubstr("named by TOFA_TOPOLOGY")));
  EXPECT_THAT(error_of([&] { InputReader({}, notes).graph(); }), HasSubstr("no graph"));
}

TEST_F(InputsTest, ATopologyThatWasAskedForAndLacksANodeIsAnErrorForLaunchers) {
  for (const Leniency leniency : {Leniency::launcher, Leniency::strict}) {
    InputNotes notes(leniency);
    InputRequest asked = request();
    asked.topology = ring("few.toml", "n[0-1],x[0-1]");
    EXPECT_THAT(error_of([&] { InputReader(asked, notes).network(); }),
                HasSubstr("lacks nodes \"n2\", \"n3\""));
    asked.some_nodes_will_do = true;
    EXPECT_THAT(InputReader(asked, notes).network().node_of, ElementsAre(0U, 1U, kNoNode, kNoNode));
    asked.topology = ring("none-of-them.toml", "x[0-3]");
    EXPECT_THAT(error_of([&] { InputReader(asked, notes).network(); }), HasSubstr("lacks"));
  }
}

TEST_F(InputsTest, AMalformedSiteFileIsOneWarningAndOnlyWhereDefaultsMatter) {
  scratch_.write("site.toml", "topology = [\n");
  ::setenv("TOFA_OUTAGES", scratch_.write("o", "n1 0.5\n").c_str(), 1);
  InputNotes notes(Leniency::command);
  InputRequest asked = request();
  InputReader reader(asked, notes);
  EXPECT_EQ(reader.outages(reader.network()).map.suspects(), 1U);
  EXPECT_THAT(notes.warnings(), ElementsAre(HasSubstr("the site's defaults are ignored")));

  InputNotes silent(Leniency::command);
  asked.topology = ring("t.toml", "n[0-3]");
  asked.outages = scratch_ / "o";
  InputReader sure(asked, silent);
  sure.outages(sure.network());
  EXPECT_THAT(silent.warnings(), IsEmpty());
}

TEST_F(InputsTest, HostsThatTheTopologyLacksAreNamed) {
  InputNotes notes(Leniency::strict);
  InputRequest asked = request();
  asked.topology = ring("t.toml", "n[0-3]");
  asked.outages = scratch_.write("o", "n0 0.5\na 1\nb 1\nc 1\nd 1\n");
  InputReader reader(asked, notes);
  const NetworkInput network = reader.network();
  EXPECT_EQ(reader.outages(network).map.suspects(), 1U) << "no error, even under strict";
  EXPECT_THAT(notes.warnings(),
              ElementsAre(AllOf(HasSubstr("4 of the 5 hosts"), HasSubstr(": a, b, c, ... ("))));
}

TEST_F(InputsTest, WhereTheTopologyIsAssumedOtherHostsAreNoNews) {
  InputNotes notes(Leniency::command);
  InputRequest asked = request();
  asked.outages = scratch_.write("o", "n0 0.5\nn9 1\n");
  InputReader reader(asked, notes);
  reader.outages(reader.network());
  EXPECT_THAT(notes.warnings(), IsEmpty());
  asked.outages = scratch_.write("misspelt", "m0 0.5\n");
  InputReader other(asked, notes);
  other.outages(other.network());
  EXPECT_THAT(notes.warnings(), ElementsAre(HasSubstr("m0")));
}

TEST_F(InputsTest, TheManagerIsAskedForTheTimeLeftOnlyWhereNobodySaid) {
  InputNotes notes(Leniency::launcher);
  InputRequest asked = request();
  asked.outages = scratch_.write("o", "n0 0 2 1\n");  // one outage an hour
  asked.manager = {"Slurm", nullptr, [](const OutageList&) { return 3600.0; }};
  InputReader reader(asked, notes);
  const OutageInput within = reader.outages(reader.network());
  EXPECT_NEAR(within.map.probability(0), 0.632, 0.001);
  EXPECT_THAT(within.origin, HasSubstr("for a job of up to 3600 s"));
  asked.horizon = 0;
  InputReader now(asked, notes);
  EXPECT_EQ(now.outages(now.network()).map.probability(0), 0);
}

TEST_F(InputsTest, WhereNobodyKnowsTheTimeAnHourIsTakenIfItIsPublishedElseNow) {
  InputNotes notes(Leniency::launcher);
  InputRequest asked = request();
  asked.manager = {"Slurm", nullptr, [](const OutageList&) { return 0.0; }};
  asked.outages = scratch_.write("o", R"({"version": 1, "nodes": [
      {"host": "n0", "probability": 0, "rate": 1, "within": [0.5, 1, 2]},
      {"host": "n1", "probability": 0.25, "rate": 1}]})");
  InputReader reader(asked, notes);
  const OutageInput assumed = reader.outages(reader.network());
  EXPECT_DOUBLE_EQ(assumed.map.probability(0), -std::expm1(-0.5));
  EXPECT_DOUBLE_EQ(assumed.map.probability(1), 0.25);
  asked.horizon = 0;
  InputReader now(asked, notes);
  EXPECT_EQ(now.outages(now.network()).map.probability(0), 0);
}

TEST_F(InputsTest, AProfileOfAnotherNumberOfRanks) {
  const std::string six = scratch_.write(
      "six.mtx", "%%MatrixMarket matrix coordinate integer general\n6 6 2\n1 2 5\n1 6 7\n");
  InputRequest asked = request();
  asked.graph = six;
  InputNotes notes(Leniency::launcher);
  const GraphInput graph = InputReader(asked, notes).graph();
  EXPECT_EQ(graph.graph.ranks(), 4U);
  EXPECT_EQ(graph.graph.total_bytes(), 5U);
  EXPECT_THAT(notes.warnings(), ElementsAre(HasSubstr("describes 6 ranks, the job has 4")));
  InputNotes command(Leniency::command);
  EXPECT_THAT(error_of([&] { InputReader(asked, command).graph(); }),
              HasSubstr("has 6 ranks, not 4"));
}

}  // namespace
}  // namespace tofa
