// SPDX-License-Identifier: BSD-3-Clause
// The order of ranks inside a node, through the planner's C interface.
#include "job.hpp"

namespace tofa::planner::planner_arrange_test {
namespace {

using ::testing::ElementsAre;

class PlannerArrange : public PlannerTest {
 protected:
  // Ranks 0 and 2 talk, and 1 and 3.
  std::string strided() {
    return write("app.mtx",
                 "%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 3 100\n2 4 100\n");
  }
};

std::vector<unsigned> arrange(const tofa_plan* plan, const std::vector<unsigned>& ranks,
                              const std::vector<unsigned>& groups) {
  const tofa_node_inside inside = {ranks.data(), ranks.size(), groups.data(),
                                   ranks.empty() ? 0 : groups.size() / ranks.size()};
  std::vector<unsigned> place_of(ranks.size(), 99);
  tofa_arrange_node(plan, &inside, place_of.data());
  return place_of;
}

TEST_F(PlannerArrange, PartnersSharePackagesAndCaches) {
  const Plan plan = Job::on(1, 4, 4).with("graph", strided()).plan();
  ASSERT_EQ(plan->error, nullptr) << plan->error;
  // Two packages with two cores each; then the same with the ranks in another order.
  EXPECT_THAT(arrange(plan.get(), {0, 1, 2, 3}, {0, 0, 1, 1, 0, 1, 2, 3}), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(arrange(plan.get(), {0, 2, 1, 3}, {0, 0, 1, 1, 0, 1, 2, 3}), ElementsAre(0, 1, 2, 3));
}

TEST_F(PlannerArrange, RanksThatTheRuntimeDealsOutOverPackages) {
  const Plan plan = Job::on(1, 4, 4).with("graph", strided()).plan();
  EXPECT_THAT(arrange(plan.get(), {0, 1, 2, 3}, {0, 1, 0, 1}), ElementsAre(0, 1, 2, 3));
  const Plan neighbours = Job::on(1, 4, 4).plan();
  const auto place_of = arrange(neighbours.get(), {0, 1, 2, 3}, {0, 1, 0, 1});
  EXPECT_EQ(place_of[0] % 2, place_of[1] % 2);
  EXPECT_EQ(place_of[2] % 2, place_of[3] % 2);
}

TEST_F(PlannerArrange, RanksStayWhereNothingCanBeSaid) {
  const Plan plan = Job::on(1, 4, 4).with("graph", strided()).plan();
  EXPECT_THAT(arrange(plan.get(), {0, 1, 2}, {}), ElementsAre(0, 1, 2));
  EXPECT_THAT(arrange(plan.get(), {2, 9, 0}, {0, 0, 1}), ElementsAre(0, 1, 2));
  EXPECT_THAT(arrange(plan.get(), {}, {}), ElementsAre());
  const Plan failed = Job::on(1, 1, 4).plan();
  ASSERT_NE(failed->error, nullptr);
  EXPECT_THAT(arrange(failed.get(), {0, 1}, {0, 1}), ElementsAre(0, 1));
}

}  // namespace
}  // namespace tofa::planner::planner_arrange_test
