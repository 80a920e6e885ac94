// SPDX-License-Identifier: BSD-3-Clause
// What `tofa doctor` makes of machines that are not here: other releases, odd paths, parameters
// that make all jobs depend on tofa.
#include "doctor_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tofa::cli::doctor_checks_test {
namespace {

using ::testing::HasSubstr;

const ComponentFolder kStock = {"/stock", true, false};
const ComponentFolder kOurs = {"/ours", true, true};
const ComponentFolder kOther = {"/other", true, false};

OpenMpiFacts good() {
  OpenMpiFacts facts;
  facts.version = "4.1.4";
  facts.stock = "/stock";
  facts.path = {kStock, kOurs};
  facts.path_source = "environment";
  facts.has_mapper = facts.has_monitor = facts.has_topologies = true;
  facts.own_folder = "/ours";
  return facts;
}

Finding about(const std::string& subject, const Findings& findings) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& f) { return f.subject == subject; });
  return found == findings.end() ? Finding{} : *found;
}

TEST(Doctor, AGoodOpenMpi) {
  EXPECT_TRUE(all_work(check_open_mpi(good())));
}

TEST(Doctor, OtherReleasesOfOpenMpi) {
  OpenMpiFacts facts = good();
  facts.version = "5.0.7";
  EXPECT_EQ(about("Open MPI", check_open_mpi(facts)).verdict, Verdict::failed);
  facts.path = {kStock};
  EXPECT_EQ(about("Open MPI", check_open_mpi(facts)).verdict, Verdict::note);
  EXPECT_TRUE(all_work(check_open_mpi(facts))) << "nobody asked for what is not there";
  facts = good();
  facts.version = "4.1.6";
  EXPECT_TRUE(all_work(check_open_mpi(facts)));
}

TEST(Doctor, ThePathMustBeginWithFoldersThatAreThere) {
  OpenMpiFacts facts = good();
  facts.path = {kOther, kStock, kOurs};
  EXPECT_TRUE(all_work(check_open_mpi(facts))) << "another package's folder";
  facts.path = {{"/other", false, false}, kStock, kOurs};
  EXPECT_THAT(about("component path", check_open_mpi(facts)).text,
              HasSubstr("/other comes first and is not there"));
  facts.path = {kOurs, kStock};
  EXPECT_FALSE(all_work(check_open_mpi(facts)));
  facts.path = {kOurs};
  EXPECT_THAT(about("component path", check_open_mpi(facts)).text, HasSubstr("/stock"));
  facts.path = {{"system_default", false, false}, kOurs};
  EXPECT_TRUE(all_work(check_open_mpi(facts)));
}

TEST(Doctor, TheRemedyIsThePathInTheRightOrder) {
  OpenMpiFacts facts = good();
  facts.path = {kOurs, kStock};
  EXPECT_THAT(about("component path", check_open_mpi(facts)).remedy, HasSubstr("/stock:/ours"));
}

TEST(Doctor, OpenMpisDefaultPathMayNameAFolderThatIsNotThere) {
  OpenMpiFacts facts = good();
  facts.path = {kStock, {"/root/.openmpi/components", false, false}};
  facts.path_source = "default";
  facts.has_mapper = facts.has_monitor = false;
  const Findings findings = check_open_mpi(facts);
  EXPECT_TRUE(all_work(findings));
  EXPECT_EQ(about("mapper", findings).verdict, Verdict::note);
}

TEST(Doctor, ParametersThatMakeAllJobsDependOnTofa) {
  OpenMpiFacts facts = good();
  facts.mapping_policy = "tofa:PE=2";
  facts.pml = "ob1,tofa";
  EXPECT_TRUE(all_work(check_open_mpi(facts)));
  facts.has_mapper = facts.has_monitor = false;
  EXPECT_EQ(about("mapping policy", check_open_mpi(facts)).verdict, Verdict::failed);
  EXPECT_EQ(about("pml", check_open_mpi(facts)).verdict, Verdict::failed);
  facts.mapping_policy = "slot";
  facts.pml = "^tofas-neighbour";
  EXPECT_EQ(about("mapping policy", check_open_mpi(facts)).text, "");
  EXPECT_EQ(about("pml", check_open_mpi(facts)).text, "");
}

TEST(Doctor, TopologiesAreReorderedOnlyWhereBothComponentsAreFound) {
  OpenMpiFacts facts = good();
  facts.has_topologies = false;
  const Finding finding = about("topologies", check_open_mpi(facts));
  EXPECT_EQ(finding.verdict, Verdict::failed);
  EXPECT_THAT(finding.text, HasSubstr("reordering ranks in MPI_Cart_create"));
  EXPECT_THAT(finding.remedy, HasSubstr("/stock:/ours"));
}

TEST(Doctor, ThePluginIsForOneReleaseOfSlurm) {
  SlurmFacts facts;
  facts.installed = true;
  facts.version = "22.05.11";
  facts.plugstack = "/etc/slurm/plugstack.conf";
  facts.plugin = "/p/spank_tofa.so";
  facts.built_for = 0x160508;
  EXPECT_TRUE(all_work(check_slurm(facts))) << "of another patch level";
  facts.version = "23.02.1";
  EXPECT_FALSE(all_work(check_slurm(facts)));
  facts.version = "";
  EXPECT_TRUE(all_work(check_slurm(facts))) << "not known";
  EXPECT_EQ(slurm_version_text(0x160508), "22.05.8");
}

TEST(Doctor, JobsThatAreNotToStartAtOnceAreSlurmsToPlace) {
  SlurmFacts facts;
  facts.installed = true;
  facts.version = "22.05.8";
  facts.scheduler = "bf_interval=30,defer";
  EXPECT_EQ(about("scheduler", check_slurm(facts)).verdict, Verdict::note);
  EXPECT_THAT(about("scheduler", check_slurm(facts)).text, HasSubstr("defer"));
  for (const char* at_once : {"", "(null)", "defer_batch", "defer,defer_batch", "bf_defer"}) {
    facts.scheduler = at_once;
    EXPECT_EQ(about("scheduler", check_slurm(facts)).text, "") << at_once;
  }
}

TEST(Doctor, TwoSettingsInALine) {
  const auto lines = [](const std::string& text) { return lines_of_two_settings(text); };
  EXPECT_THAT(lines("mtl = ^ofi\nosc = ^ucx,pt2ptmca_base_component_path = /a:/b\n"),
              testing::ElementsAre(2));
  EXPECT_THAT(lines("osc = ^ucxpml=ob1mca_base_component_path=/a"), testing::ElementsAre(1));
  EXPECT_THAT(lines("osc = ^ucxrmaps_base_mapping_policy = tofa"), testing::ElementsAre(1));
  EXPECT_THAT(lines("# osc = a b = c\nmca_base_component_path = /a:/b\n"
                    "rmaps_base_mapping_policy = tofa:graph=x,PE=2\nbtl=^uct # a = b\n\n"),
              testing::IsEmpty());
  OpenMpiFacts facts = good();
  facts.merged = {"/etc/p.conf:2"};
  EXPECT_FALSE(all_work(check_open_mpi(facts)));
  EXPECT_THAT(about("parameter file", check_open_mpi(facts)).text, HasSubstr("/etc/p.conf:2"));
}

TEST(Doctor, WhatIsPrintedIsUnderstood) {
  EXPECT_EQ(value_behind("a:b:1\na:c:\"x y\"\na:c:2\n", "a:c:"), "x y");
  EXPECT_EQ(value_behind("a:b:1\n", "a:c:"), "");
  EXPECT_EQ(plugin_named_by("# optional /a/spank_tofa.so\nrequired /b/other.so\n"), "");
  EXPECT_EQ(plugin_named_by("required /b/other.so\n  optional\t/a/spank_tofa.so topology=x\n"),
            "/a/spank_tofa.so");
}

}  // namespace
}  // namespace tofa::cli::doctor_checks_test
