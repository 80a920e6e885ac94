// SPDX-License-Identifier: BSD-3-Clause
// Logs of jobs: what is read of each format, what is left out, and what is said of a bad line.
#include "tofa/workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tofa/error.hpp"

namespace tofa {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSacct =
    "JobID|JobName|Submit|Eligible|Start|End|ElapsedRaw|Timelimit|NNodes|AllocCPUS|State\n"
    "12|lammps|2026-01-01T00:01:00|2026-01-01T00:02:00|2026-01-01T00:03:00|2026-01-01T00:13:00|600|"
    "1-00:00:00|4|64|COMPLETED\n"
    "12.batch|batch|2026-01-01T00:01:00|Unknown|2026-01-01T00:03:00|2026-01-01T00:13:00|600||1|16|"
    "COMPLETED\n"
    "11_3|cg|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T00:00:05|2026-01-01T00:00:45|40|"
    "UNLIMITED|1|4|FAILED\n"
    "13|cg|2026-01-01T00:05:00|Unknown|None|Unknown|0|00:30:00|2|0|CANCELLED by 1000\n"
    "14|cg|2026-01-01T00:05:00|Unknown|2026-01-01T00:05:00|Unknown|60|00:30:00|2|32|RUNNING\n";

std::string message_of(const std::string& text) {
  try {
    parse_workload(text, "jobs");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

TEST(Workload, SacctsJobsAreReadAndItsStepsPassedOver) {
  const Workload workload = parse_workload(kSacct, "jobs");
  ASSERT_EQ(workload.jobs.size(), 2U);
  EXPECT_EQ(workload.format, "sacct");
  EXPECT_EQ(workload.left_out, 2U);
  EXPECT_EQ(workload.cores_per_node, 16U);
  const LoggedJob& first = workload.jobs[0];
  EXPECT_EQ(first.id, "11_3");
  EXPECT_EQ(first.run_seconds, 40);
  EXPECT_EQ(first.limit_seconds, 40);
  const LoggedJob& second = workload.jobs[1];
  EXPECT_EQ(second.name, "lammps");
  EXPECT_EQ(second.submit - first.submit, 120);  // once it was eligible
  EXPECT_EQ(second.run_seconds, 600);
  EXPECT_EQ(second.limit_seconds, 86'400);
  EXPECT_EQ(second.ranks, 64U);
  EXPECT_EQ(second.nodes, 4U);
}

TEST(Workload, RunTimesComeFromStartAndEndWhereTheyMust) {
  const Workload workload = parse_workload(
      "JobIDRaw|Submit|Start|End|NCPUS|TimelimitRaw|Priority\n"
      "1|2026-01-01T00:00:00|2026-01-01T00:00:10|2026-01-01T00:02:10|8|60|4294901759\n",
      "jobs");
  EXPECT_EQ(workload.jobs.at(0).run_seconds, 120);
  EXPECT_EQ(workload.jobs.at(0).limit_seconds, 3600);
  EXPECT_EQ(workload.jobs.at(0).priority, 4294901759.0);
}

TEST(Workload, ShortenedNumbersOfNodesAreRead) {
  const auto nodes_of = [](const std::string& column, const std::string& nodes) {
    return parse_workload("JobID|Submit|Elapsed|AllocCPUS|" + column +
                              "\n1|2026-01-01|00:10:00|4000000|" + nodes + "\n",
                          "jobs")
        .jobs.at(0)
        .nodes;
  };
  for (const char* column : {"AllocNodes", "ReqNodes"}) {
    EXPECT_EQ(nodes_of(column, "1023"), 1023U);
    EXPECT_EQ(nodes_of(column, "1K"), 1024U);
    EXPECT_EQ(nodes_of(column, "1.50K"), 1536U);
    EXPECT_EQ(nodes_of(column, "9K"), 9216U);
    EXPECT_EQ(nodes_of(column, "1M"), 1'048'576U);
  }
  const auto message_with = [](const std::string& cores, const std::string& nodes,
                               const char* column) {
    return message_of(std::string("JobID|Submit|Elapsed|AllocCPUS|") + column +
                      "\n1|2026-01-01|00:10:00|" + cores + "|" + nodes + "\n");
  };
  // Rounded, not what sacct writes, or in a column that it never shortens.
  for (const char* nodes : {"0.10K", "1.00M", "1.25K", "K", "1G", "0K", "17M", "16.50M", "-1K"}) {
    EXPECT_THAT(message_with("4", nodes, "AllocNodes"),
                HasSubstr(std::string("jobs:2: AllocNodes \"") + nodes + "\" is no number"));
    EXPECT_THAT(message_with("4", nodes, "AllocNodes"), HasSubstr("--noconvert"));
  }
  EXPECT_THAT(message_with("4", "1K", "NNodes"), HasSubstr("--noconvert"));
  EXPECT_THAT(message_with("4K", "1", "NNodes"), HasSubstr("AllocCPUS \"4K\""));
  EXPECT_THAT(message_with("-4", "1", "NNodes"), Not(HasSubstr("--noconvert")));
}

TEST(Workload, WithoutItsStateAJobThatHasNoEndStillRuns) {
  const Workload workload = parse_workload(
      "JobID|Submit|Start|End|ElapsedRaw|NNodes|AllocCPUS\n"
      "1|2026-01-01T00:00:00|2026-01-01T00:00:05|2026-01-01T00:00:45|40|1|4\n"
      "2|2026-01-01T00:05:00|2026-01-01T00:05:00|Unknown|60|2|32\n",
      "jobs");
  ASSERT_EQ(workload.jobs.size(), 1U);
  EXPECT_EQ(workload.jobs[0].id, "1");
  EXPECT_EQ(workload.left_out, 1U);
}

TEST(Workload, AStandardWorkloadIsRead) {
  const Workload workload = parse_workload(
      "; MaxNodes: 10\n; MaxProcs: 160\n"
      "  1  100  5  60  32  -1 -1  64  120 -1 1 1 1 7 1 -1 -1 -1\n"
      "2 50 -1 30 -1 -1 -1 16 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
      "3 60 -1 -1 16 -1 -1 16 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n",
      "log.swf");
  ASSERT_EQ(workload.jobs.size(), 2U);
  EXPECT_EQ(workload.left_out, 1U);
  EXPECT_EQ(workload.cores_per_node, 16U);
  EXPECT_EQ(workload.jobs[0].id, "2");
  EXPECT_EQ(workload.jobs[0].limit_seconds, 30);
  EXPECT_EQ(workload.jobs[1].ranks, 32U);
  EXPECT_EQ(workload.jobs[1].name, "app7");
  EXPECT_EQ(workload.jobs[1].limit_seconds, 120);
}

TEST(Workload, ABadLineIsNamed) {
  EXPECT_THAT(message_of("1 2 3\n"), HasSubstr("jobs:1: a job has 18 numbers, but here are 3"));
  EXPECT_THAT(message_of("1 0 0 x 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n"),
              HasSubstr("jobs:1: field 4, \"x\""));
  EXPECT_THAT(message_of("1 0 0 nan 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n"),
              HasSubstr("field 4, \"nan\""));
  EXPECT_THAT(message_of("JobID|Submit|Elapsed|AllocCPUS\n1|2026-01-01|00:10\n"),
              HasSubstr("jobs:2: 3 fields, but the first line names 4 columns"));
  EXPECT_THAT(message_of("JobID|Submit|Elapsed|AllocCPUS\n1|soon|00:10|4\n"),
              HasSubstr("jobs:2: Submit \"soon\" is no time"));
  EXPECT_THAT(message_of("JobID|Submit|Elapsed|AllocCPUS\n1|2026-01-01|00:10|-4\n"),
              HasSubstr("jobs:2: AllocCPUS \"-4\""));
  EXPECT_THAT(message_of("JobID|Elapsed|AllocCPUS\n"), HasSubstr("no column Submit"));
  EXPECT_THAT(message_of("JobID|Submit|AllocCPUS\n"), HasSubstr("add Elapsed"));
  EXPECT_THAT(message_of("hello\n"), HasSubstr("jobs:1: this is neither"));
  EXPECT_THAT(message_of("JobID|Submit|Elapsed|AllocCPUS\n"), HasSubstr("none of the 0 jobs"));
}

TEST(Workload, AGeneratedOneHasThePublishedProperties) {
  GeneratedWorkload wanted;
  wanted.jobs = 13'687;
  const Workload workload = generate_workload(wanted);
  ASSERT_EQ(workload.jobs.size(), wanted.jobs);
  std::vector<double> runs;
  std::size_t first_hour = 0;
  std::size_t large = 0;
  for (const LoggedJob& job : workload.jobs) {
    runs.push_back(job.run_seconds);
    first_hour += job.submit <= 3600 ? 1 : 0;
    large += job.submit == 8461 && job.ranks == 32'768 ? 1 : 0;
    ASSERT_LE(job.ranks, wanted.cores);
    ASSERT_LE(job.run_seconds, job.limit_seconds);
  }
  std::sort(runs.begin(), runs.end());
  EXPECT_NEAR(runs[runs.size() / 2], 182, 15);
  EXPECT_NEAR(static_cast<double>(first_hour), 365, 60);
  EXPECT_NEAR(workload.jobs.back().submit / 3600, 100, 6);
  EXPECT_GE(large, 1U);
}

TEST(Workload, WhatIsWrittenReadsBack) {
  GeneratedWorkload wanted;
  wanted.jobs = 50;
  const Workload workload = generate_workload(wanted);
  const Workload again = parse_workload(format_swf(workload), "again");
  ASSERT_EQ(again.jobs.size(), workload.jobs.size());
  EXPECT_EQ(again.cores_per_node, 16U);
  for (std::size_t i = 0; i < again.jobs.size(); ++i) {
    EXPECT_EQ(again.jobs[i].submit, workload.jobs[i].submit);
    EXPECT_EQ(again.jobs[i].ranks, workload.jobs[i].ranks);
    EXPECT_EQ(again.jobs[i].run_seconds, workload.jobs[i].run_seconds);
    EXPECT_EQ(again.jobs[i].limit_seconds, workload.jobs[i].limit_seconds);
    EXPECT_EQ(again.jobs[i].name, workload.jobs[i].name);
  }
}

}  // namespace
}  // namespace tofa
