// SPDX-License-Identifier: BSD-3-Clause
// What a placement tells about how it was found, and the progress it reports meanwhile.
#include "mapping/trace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <thread>

#include "support/random_cases.hpp"
#include "tofa/error.hpp"
#include "tofa/graph_io.hpp"

namespace tofa {
namespace {

bool cheaper(const CandidateReport& a, const CandidateReport& b) {
  return a.cost < b.cost;
}

RC_GTEST_PROP(TraceProperty, BeginsWithTheDefaultAndEndsWithTheChosen, ()) {
  const auto topology = test::any_topology();
  const Allocation allocation = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 40U));
  const OutageMap outages = test::any_outages(*topology);
  PlaceOptions options;
  options.objective = *rc::gen::elementOf(all_objectives());
  options.time_limit_seconds = 0.05;
  const Placement placement = place(graph, *topology, outages, allocation, options);
  const auto& improvements = placement.improvements;
  RC_ASSERT(improvements.front().source == "linear");
  RC_ASSERT(improvements.front().cost == placement.linear_cost);
  // Where nothing beat the default, the chosen mapping is one that costs the same.
  RC_ASSERT(improvements.back().cost == placement.chosen_cost);
  RC_ASSERT(std::is_sorted(improvements.begin(), improvements.end(),
                           [](const auto& a, const auto& b) { return a.seconds < b.seconds; }));
  RC_ASSERT(std::is_sorted(placement.candidates.begin(), placement.candidates.end(), cheaper));
  const auto is_origin = [&](const auto& entry) { return entry.mapper == placement.origin; };
  RC_ASSERT(std::count_if(placement.candidates.begin(), placement.candidates.end(), is_origin) ==
            1);
}

TEST(Trace, WhoIsToldThatTimeIsUpHurriesTheWhole) {
  const PlaceOptions options;
  Trace trace(options);
  const Deadline later = trace.deadline(600);
  EXPECT_FALSE(later.passed());
  EXPECT_FALSE(trace.hurried());
  EXPECT_TRUE(later.share(0).passed());
  EXPECT_TRUE(trace.hurried());
}

TEST(Trace, WorkOnTheSideOfWorkOnTheSideHurriesTheWhole) {
  const PlaceOptions options;
  Trace trace(options);
  Trace aside = trace.aside();
  Trace within = aside.aside();
  within.hurry();
  EXPECT_TRUE(trace.hurried());
}

class TraceOnCase : public testing::Test {
 protected:
  Placement run(const PlaceOptions& options) const {
    Allocation allocation;
    for (Node node = 0; node < topology_->nodes(); ++node) allocation.push_back({node, 1});
    return place(graph_, *topology_, {}, allocation, options);
  }

  std::string cases_ = std::string(TOFA_FIXTURES) + "/cases/";
  CommGraph graph_{read_traffic(cases_ + "rgg512")};
  std::unique_ptr<Topology> topology_ = read_topology(cases_ + "torus-8x8x8.toml");
};

TEST_F(TraceOnCase, OneMapperAloneIsTheOnlyCandidate) {
  const Placement placement = run({.mapper = "greedy"});
  ASSERT_EQ(placement.candidates.size(), 1U);
  EXPECT_EQ(placement.candidates[0].mapper, "greedy");
  EXPECT_EQ(placement.candidates[0].cost, placement.chosen_cost);
  ASSERT_EQ(placement.improvements.size(), 2U);
  EXPECT_EQ(placement.improvements[1].source, "greedy");
}

TEST_F(TraceOnCase, ProgressComesFromTheCallingThreadAndNotTooOften) {
  const std::thread::id here = std::this_thread::get_id();
  std::vector<Progress> reports;
  PlaceOptions options{.effort = Effort::thorough, .time_limit_seconds = 2};
  options.progress = [&](const Progress& progress) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    reports.push_back(progress);
  };
  const Placement placement = run(options);
  ASSERT_FALSE(reports.empty());
  for (std::size_t i = 1; i < reports.size(); ++i) {
    EXPECT_GE(reports[i].elapsed_seconds - reports[i - 1].elapsed_seconds, 0.2);
    EXPECT_LE(reports[i].best_cost, reports[i - 1].best_cost);
  }
  EXPECT_EQ(reports.front().time_limit_seconds, 2);
  EXPECT_EQ(reports.front().linear_cost, placement.linear_cost);
  EXPECT_GE(reports.back().best_cost, placement.chosen_cost);
}

TEST(Trace, WorkOnTheSideKeepsProgressGoing) {
  std::vector<double> costs;
  PlaceOptions options{.objective = parse_objective("hop-bytes")};
  options.progress = [&costs](const Progress& progress) { costs.push_back(progress.best_cost); };
  Trace trace(options);
  Metrics metrics;
  metrics.hop_bytes = 9;
  trace.begin(metrics, true);
  Trace aside = trace.aside();
  metrics.hop_bytes = 5;
  aside.begin(metrics, true);
  aside.report_progress();
  EXPECT_EQ(costs, std::vector<double>{9});
}

TEST_F(TraceOnCase, AnExceptionFromTheCallbackEndsTheSearch) {
  PlaceOptions options{.effort = Effort::thorough, .time_limit_seconds = 2};
  options.progress = [](const Progress&) { throw Error(ErrorKind::unmet, "stop"); };
  EXPECT_THROW(run(options), Error);
}

}  // namespace
}  // namespace tofa
