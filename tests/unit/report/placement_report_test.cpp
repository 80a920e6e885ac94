// SPDX-License-Identifier: BSD-3-Clause
// The report, on a placement whose figures are plain to see. What mpirun makes of it is in
// tests/unit/rmaps-tofa.
#include "tofa/placement_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tofa/site_log.hpp"

namespace tofa {
namespace {

using testing::HasSubstr;
using testing::Not;

class Report : public testing::Test {
 protected:
  Report() {
    placement_.mapping = {0, 1};
    placement_.origin = "fold";
    placement_.linear.average_hops_per_byte = 3;
    placement_.chosen.average_hops_per_byte = 1.5;
    placement_.linear.abort_probability = 0.25;
    placement_.elapsed_seconds = 0.0126;
  }
  PlacementStory story() const {
    return {.placement = placement_,
            .outages = outages_,
            .nodes = {{"a", 0, 1}, {"b", 1, 1}, {"c", 2, 1}},
            .graph = "app",
            .topology = "a ring",
            .outages_origin = "a file",
            .objective = parse_objective("hop-bytes"),
            .mapper = "auto"};
  }

  std::unique_ptr<Topology> flat_ = make_flat_topology({"a", "b", "c"});
  OutageMap outages_{{{"b", 0.5, -1}, {"c", 0.25, -1}}, *flat_};
  Placement placement_;
};

TEST_F(Report, SaysWhatWasReadGainedAndAvoided) {
  const std::string text = format_report(story());
  EXPECT_THAT(text, HasSubstr("tofa: 2 ranks on 2 of 3 nodes, mapper auto (from fold), 0.013 s\n"));
  EXPECT_THAT(text, HasSubstr("  topology             a ring\n"));
  EXPECT_THAT(text, HasSubstr("  outages              a file\n"));
  EXPECT_THAT(text, HasSubstr("  hops per byte        default 3            chosen 1.5\n"));
  EXPECT_THAT(text, HasSubstr("  avoided              c (p = 0.25)\n"));
  EXPECT_THAT(text, HasSubstr("b (p = 0.5); the other nodes have 1 slots for 2 ranks\n"));
  EXPECT_THAT(text, Not(HasSubstr("remembered")));
}

TEST_F(Report, SaysWhetherItWasRememberedOrCutShort) {
  placement_.remembered = true;
  EXPECT_THAT(format_report(story()), HasSubstr("(from fold), remembered, 0.013 s\n"));
  placement_.remembered = false;
  placement_.out_of_time = true;
  EXPECT_THAT(format_report(story()), HasSubstr("0.013 s, cut short by the time limit\n"));
}

TEST_F(Report, FiguresAreFieldsThatASiteAddsUp) {
  SiteSummary sum;
  add_log_line(sum, "time=t user=ann outcome=placed warnings=0 " + format_figures(story()));
  EXPECT_EQ(sum.placed, 1U);
  EXPECT_EQ(sum.ranks, 2U);
  EXPECT_EQ(sum.avoided, 1U);
  EXPECT_EQ(sum.hops_default, 3);
  EXPECT_EQ(sum.hops_chosen, 1.5);
  EXPECT_EQ(sum.aborts_default, 0.25);
}

}  // namespace
}  // namespace tofa
