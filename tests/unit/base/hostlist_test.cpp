// SPDX-License-Identifier: BSD-3-Clause
// Host lists: what Slurm's own documentation says they stand for, errors, and that compressing
// loses nothing.
#include "tofa/hostlist.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "support.hpp"

namespace tofa {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(HostlistExpand, Names) {
  EXPECT_THAT(expand_hostlist(""), ElementsAre());
  EXPECT_THAT(expand_hostlist("login"), ElementsAre("login"));
  EXPECT_THAT(expand_hostlist("b,a , c\n"), ElementsAre("b", "a", "c"));
}

TEST(HostlistExpand, RangesKeepTheWidthOfTheLowerBound) {
  EXPECT_THAT(expand_hostlist("n[08-11]"), ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(expand_hostlist("n[8-11]"), ElementsAre("n8", "n9", "n10", "n11"));
  EXPECT_THAT(expand_hostlist("n[1,007,3-4]"), ElementsAre("n1", "n007", "n3", "n4"));
  EXPECT_EQ(expand_hostlist("n[000-511]").size(), 512U);
  EXPECT_EQ(expand_hostlist("n[000-511]").back(), "n511");
}

TEST(HostlistExpand, LastBracketVariesFastest) {
  EXPECT_THAT(expand_hostlist("r[0-1]n[0-2]"),
              ElementsAre("r0n0", "r0n1", "r0n2", "r1n0", "r1n1", "r1n2"));
}

TEST(HostlistExpand, TextAfterTheBracket) {
  EXPECT_THAT(expand_hostlist("n[1-2]-ib.site.org,x"),
              ElementsAre("n1-ib.site.org", "n2-ib.site.org", "x"));
}

TEST(HostlistExpand, SaysWhatIsWrong) {
  EXPECT_THAT(error_of([] { expand_hostlist("n[0-3"); }), HasSubstr("never closed"));
  EXPECT_THAT(error_of([] { expand_hostlist("n0-3]"); }), HasSubstr("never opened"));
  EXPECT_THAT(error_of([] { expand_hostlist("n[]"); }), HasSubstr("not a number"));
  EXPECT_THAT(error_of([] { expand_hostlist("n[1-]"); }), HasSubstr("not a number"));
  EXPECT_THAT(error_of([] { expand_hostlist("n[1,]"); }), HasSubstr("not a number"));
  EXPECT_THAT(error_of([] { expand_hostlist("n[[1]]"); }), HasSubstr("not a number"));
  EXPECT_THAT(error_of([] { expand_hostlist("n[a-b]"); }), HasSubstr("\"a\" is not a number"));
  EXPECT_THAT(error_of([] { expand_hostlist("n[5-3]"); }), HasSubstr("\"5-3\" runs backwards"));
  EXPECT_THAT(error_of([] { expand_hostlist("n0;rm"); }), HasSubstr("\";\" cannot be part"));
  EXPECT_THAT(error_of([] { expand_hostlist("n\x01"); }), HasSubstr("\"\\x01\""));
  EXPECT_THAT(error_of([] { expand_hostlist(std::string(300, 'n')); }),
              HasSubstr("longer than 255"));
}

TEST(HostlistExpand, HugeCountsAreRefusedBeforeTheyAreMade) {
  EXPECT_THAT(error_of([] { expand_hostlist("n[0-999999999999999999]"); }),
              HasSubstr("more than 4000000 hosts"));
  EXPECT_THAT(error_of([] { expand_hostlist("n[0-9999999999999999999999]"); }),
              HasSubstr("more than 18 digits"));
  EXPECT_THAT(error_of([] { expand_hostlist("a[0-99999]b[0-99999]c[0-99999]d[0-99999]"); }),
              HasSubstr("more than 4000000 hosts"));
  EXPECT_THAT(error_of([] { expand_hostlist("n[0-3],m[0-3]", 7); }),
              HasSubstr("more than 7 hosts"));
  EXPECT_EQ(expand_hostlist("n[0-3],m[0-3]", 8).size(), 8U);
}

TEST(HostlistCompress, FindsRanges) {
  EXPECT_EQ(compress_hostlist({}), "");
  EXPECT_EQ(compress_hostlist({"n1"}), "n1");
  EXPECT_EQ(compress_hostlist({"n1", "n2", "n3", "n7", "login"}), "n[1-3,7],login");
  EXPECT_EQ(compress_hostlist({"n08", "n09", "n10"}), "n[08-10]");
  EXPECT_EQ(compress_hostlist({"n8", "n9", "n10"}), "n[8-10]");
  EXPECT_EQ(compress_hostlist({"n9", "n010"}), "n[9,010]");
  EXPECT_EQ(compress_hostlist({"n3", "n2"}), "n[3,2]");
  EXPECT_EQ(compress_hostlist({"n1", "n1"}), "n1,n1");
}

TEST(HostlistCompress, SeveralNumbers) {
  EXPECT_EQ(compress_hostlist(expand_hostlist("r[0-3]n[00-15]-ib")), "r[0-3]n[00-15]-ib");
  EXPECT_EQ(compress_hostlist({"r0n0", "r1n0", "r1n1"}), "r[0-1]n0,r1n1");
  EXPECT_EQ(compress_hostlist(expand_hostlist("n[000-511]")), "n[000-511]");
}

// What scontrol show hostnames and sbatch -w of Slurm 22.05 take.
TEST(HostlistCompress, ForSlurmBracketsEndTheName) {
  EXPECT_EQ(slurm_hostlist(expand_hostlist("n[000-511]")), "n[000-511]");
  EXPECT_EQ(slurm_hostlist(expand_hostlist("r[0-1]n[00-01]")), "r[0-1]n[00-01]");
  EXPECT_EQ(slurm_hostlist({"n0.hpc", "n1.hpc", "m1", "m2"}), "n0.hpc,n1.hpc,m[1-2]");
  EXPECT_EQ(slurm_hostlist({"r0n0", "r1n0"}), "r0n0,r1n0");
  EXPECT_EQ(slurm_hostlist({}), "");
}

TEST(HostlistCompress, ExpandsToTheSameHosts) {
  const bool passed = rc::check("expand(compress(hosts)) == hosts", [] {
    const auto part =
        rc::gen::element<std::string>("n", "r", "-", "0", "1", "2", "9", "10", "99", "a");
    const auto host = rc::gen::map(
        rc::gen::nonEmpty(rc::gen::resize(6, rc::gen::container<std::vector<std::string>>(part))),
        [](const std::vector<std::string>& parts) {
          std::string name;
          for (const auto& p : parts) name += p;
          return name;
        });
    const auto hosts = *rc::gen::container<std::vector<std::string>>(host);
    RC_ASSERT(expand_hostlist(compress_hostlist(hosts)) == hosts);
  });
  EXPECT_TRUE(passed);
}

TEST(HostlistCompress, ConsecutiveGridsExpandToTheSameHosts) {
  const bool passed = rc::check("for slices of a grid of hosts", [] {
    const auto hosts = expand_hostlist("r[8-11]c[0-2]n[098-101]");
    const auto begin = *rc::gen::inRange<std::size_t>(0, hosts.size());
    const auto end = *rc::gen::inRange<std::size_t>(begin, hosts.size() + 1);
    const std::vector<std::string> slice(hosts.begin() + begin, hosts.begin() + end);
    RC_ASSERT(expand_hostlist(compress_hostlist(slice)) == slice);
  });
  EXPECT_TRUE(passed);
}

}  // namespace
}  // namespace tofa
