// SPDX-License-Identifier: BSD-3-Clause
// What jobs exchange: rules by the name of the program, profiles, and classes of made-up traffic.
#include "tofa/job_traffic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tofa/error.hpp"

namespace tofa {
namespace {

using testing::HasSubstr;

LoggedJob job_named(const char* name, Rank ranks) {
  LoggedJob job;
  job.name = name;
  job.ranks = ranks;
  return job;
}

TEST(JobTraffic, TheFirstRuleThatSuitsCounts) {
  JobTraffic traffic(parse_traffic_rules("[[rule]]\nname = \"cg*64\"\nclass = \"halo-2d\"\n"
                                         "communication = 0.4\n"
                                         "[[rule]]\nname = \"l?p\"\nclass = \"none\"\n"
                                         "[[rule]]\nclass = \"pairs\"\n",
                                         "rules"),
                     0.2, 1);
  EXPECT_EQ(traffic.of(job_named("cg.B.64", 64), 4).communication, 0.4);
  EXPECT_EQ(traffic.of(job_named("lmp", 64), 4).nodes, nullptr);
  EXPECT_EQ(traffic.of(job_named("lamp", 64), 4).communication, 0.2);
  EXPECT_EQ(traffic.of(job_named("lamp", 64), 1).nodes, nullptr);  // no network in it
}

TEST(JobTraffic, AProfileCountsForItsNumberOfRanks) {
  const std::string rules = std::string("[[rule]]\ngraph = \"") + TOFA_FIXTURES +
                            "/cases/cg{ranks}\"\n[[rule]]\ngraph = \"" + TOFA_FIXTURES +
                            "/cases/lmp64\"\n";
  JobTraffic traffic(parse_traffic_rules(rules, "rules"), 0.2, 1);
  const TrafficOfJob cg = traffic.of(job_named("", 64), 16);
  ASSERT_NE(cg.nodes, nullptr);
  EXPECT_EQ(cg.nodes->blocks.ranks(), 16U);
  EXPECT_EQ(traffic.of(job_named("", 32), 16).nodes, nullptr);
  EXPECT_EQ(traffic.of(job_named("x", 64), 16).nodes, cg.nodes);  // read once
}

TEST(JobTraffic, AGridIsNoFileBesideTheRules) {
  const std::string file = testing::TempDir() + "whatif-rules.toml";
  std::ofstream(file) << "[[rule]]\ngraph = \"grid:{ranks}\"\n";
  JobTraffic traffic(read_traffic_rules(file), 0.2, 1);
  EXPECT_NE(traffic.of(job_named("", 12), 3).nodes, nullptr);
}

TEST(JobTraffic, GroupsExchangeNoMoreThanBlocks) {
  for (const std::string& name : traffic_classes()) {
    TrafficRule rule{.name = "*", .profile = {}, .traffic_class = name};
    JobTraffic traffic({rule}, 0.2, 1);
    for (const Rank ranks : {2U, 7U, 64U, 100U, 1024U}) {
      for (const unsigned nodes : {2U, 7U}) {
        const TrafficOfJob job = traffic.of(job_named("a", ranks), nodes);
        if (ranks < nodes) continue;
        ASSERT_NE(job.nodes, nullptr) << name << " " << ranks;
        EXPECT_EQ(job.nodes->groups.ranks(), nodes);
        EXPECT_LE(job.nodes->groups.total_bytes(), job.nodes->blocks.total_bytes());
      }
    }
  }
}

TEST(JobTraffic, RandomTrafficIsTheProgramsOwn) {
  JobTraffic first({}, 0.2, 1);
  JobTraffic again({}, 0.2, 1);
  int different = 0;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const Bytes bytes = first.of(job_named(name, 256), 16).nodes->blocks.total_bytes();
    EXPECT_EQ(again.of(job_named(name, 256), 16).nodes->blocks.total_bytes(), bytes);
    different += bytes == first.of(job_named("a", 256), 16).nodes->blocks.total_bytes() ? 0 : 1;
  }
  EXPECT_GT(different, 2);
}

TEST(JobTraffic, WhatIsNotKeptIsWorkedOutAgainAlike) {
  JobTraffic kept({}, 0.2, 1);
  JobTraffic forgotten({}, 0.2, 1, 0);
  for (const char* name : {"a", "b", "a", "b"}) {
    const NodeTraffic* expected = kept.of(job_named(name, 256), 16).nodes;
    const NodeTraffic* traffic = forgotten.of(job_named(name, 256), 16).nodes;
    ASSERT_NE(traffic, nullptr);
    EXPECT_EQ(traffic->blocks.total_bytes(), expected->blocks.total_bytes());
    EXPECT_EQ(traffic->groups.total_bytes(), expected->groups.total_bytes());
  }
}

TEST(JobTraffic, BadRulesAreNamed) {
  const auto message_of = [](const char* text) {
    try {
      parse_traffic_rules(text, "rules");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message_of("[[rule]]\nclass = \"halo-2\"\n"),
              HasSubstr("rules:2: [[rule]] class: unknown class \"halo-2\""));
  EXPECT_THAT(message_of("[[rule]]\nname = \"a\"\n"), HasSubstr("either a graph or a class"));
  EXPECT_THAT(message_of("[[rule]]\nclass = \"none\"\ncommunication = 2\n"), HasSubstr("rules:3"));
  EXPECT_THAT(message_of("[[rules]]\nclass = \"none\"\n"), HasSubstr("[[rule]]"));
  EXPECT_THAT(message_of("[[rule]]\nclas = \"none\"\n"), HasSubstr("clas"));
  EXPECT_THAT(message_of(""), HasSubstr("no [[rule]]"));
}

}  // namespace
}  // namespace tofa
