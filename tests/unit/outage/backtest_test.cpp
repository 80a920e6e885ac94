// SPDX-License-Identifier: BSD-3-Clause
// The replay and its scores, by hand; then estimates on simulated fleets, against the truth.
#include "tofa/backtest.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "support/simulated_fleet.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;
using Estimators = std::vector<std::unique_ptr<BacktestEstimator>>;

// Says always the same, and remembers what it was told.
class Listener final : public BacktestEstimator {
 public:
  explicit Listener(std::vector<std::string>& heard, double answer = 0.25)
      : heard_(heard), answer_(answer) {}
  std::string name() const override { return "listener"; }
  void begin(const OutageLog&) override {}
  void watched(std::size_t host, double from, double to) override {
    add("up", host, from);
    heard_.back() += "-" + std::to_string(static_cast<int>(to));
  }
  void failed(std::size_t host, double start) override { add("failed", host, start); }
  void recovered(std::size_t host, double end) override { add("back", host, end); }
  void look(double now) override {
    heard_.push_back("look " + std::to_string(static_cast<int>(now)));
  }
  double within(std::size_t, double) override { return answer_; }

 private:
  void add(const char* what, std::size_t host, double time) {
    heard_.push_back(std::string(what) + " n" + std::to_string(host) + " " +
                     std::to_string(static_cast<int>(time)));
  }
  std::vector<std::string>& heard_;
  double answer_;
};

OutageLog two_hosts() {
  OutageLog log;
  log.hosts = {"n0", "n1"};
  log.classes = {"", ""};
  log.outages = {{0, 150, 180, ""}, {1, 210, 330, ""}, {0, 310, 320, ""}};
  log.span = {100, 500};
  return log;
}

TEST(Backtest, TellsEstimatorsThePastAlone) {
  std::vector<std::string> heard;
  Estimators estimators;
  estimators.push_back(std::make_unique<Listener>(heard));
  BacktestOptions options;
  options.horizons = {100};
  options.step = 100;
  options.burn_in = 100;
  std::vector<Prediction> predictions;
  options.each = [&](const Prediction& prediction) { predictions.push_back(prediction); };
  const auto scores = run_backtest(two_hosts(), options, estimators);
  EXPECT_THAT(heard, ElementsAre("up n0 100-150", "failed n0 150", "back n0 180", "up n0 180-200",
                                 "up n1 100-200", "look 200",  //
                                 "up n0 200-300", "up n1 200-210", "failed n1 210", "look 300",
                                 "up n0 300-310", "failed n0 310", "back n0 320", "up n0 320-400",
                                 "back n1 330", "up n1 330-400", "look 400"));
  // n1 is down at 300.
  ASSERT_EQ(predictions.size(), 5U);
  EXPECT_EQ(scores.at(0).predictions, 5U);
  EXPECT_EQ(scores.at(0).failures, 2U);
  EXPECT_FALSE(predictions[0].failed);
  EXPECT_TRUE(predictions[1].failed);
  EXPECT_TRUE(predictions[2].failed);
  EXPECT_EQ(predictions[2].host, 0U);
  EXPECT_EQ(predictions[2].time, 300);
}

TEST(Backtest, ScoresAsTheFormulasSay) {
  std::vector<std::string> heard;
  Estimators estimators;
  estimators.push_back(std::make_unique<Listener>(heard));
  estimators.push_back(std::make_unique<Listener>(heard, 0));
  BacktestOptions options;
  options.horizons = {100, 1000};
  options.step = 100;
  options.burn_in = 100;
  const auto scores = run_backtest(two_hosts(), options, estimators);
  const EstimatorScore& quarter = scores[0].estimators[0];
  EXPECT_NEAR(quarter.brier, (2 * 0.75 * 0.75 + 3 * 0.25 * 0.25) / 5, 1e-12);
  EXPECT_NEAR(quarter.log_loss, -(2 * std::log(0.25) + 3 * std::log(0.75)) / 5, 1e-12);
  EXPECT_NEAR(quarter.mean, 0.25, 1e-12);
  EXPECT_EQ(quarter.surprises, 0U);
  EXPECT_EQ(quarter.reliability[8].predictions, 5U);  // 0.1 to 0.3
  EXPECT_EQ(quarter.reliability[8].failures, 2U);
  const EstimatorScore& zero = scores[0].estimators[1];
  EXPECT_NEAR(zero.log_loss, -2 * std::log(1e-6) / 5, 1e-5);
  EXPECT_EQ(zero.surprises, 2U);
  EXPECT_EQ(zero.reliability[0].predictions, 5U);
  // The log is too short for the longer one.
  EXPECT_EQ(scores[1].predictions, 0U);
}

TEST(Backtest, PassesOverTimeThatNobodyWatched) {
  std::vector<std::string> heard;
  Estimators estimators;
  estimators.push_back(std::make_unique<Listener>(heard));
  OutageLog log = two_hosts();
  log.pauses = {{190, 240}};
  BacktestOptions options;
  options.horizons = {50};
  options.step = 50;
  options.burn_in = 0;
  const auto scores = run_backtest(log, options, estimators);
  EXPECT_THAT(heard, testing::Contains("up n0 180-190"));
  EXPECT_THAT(heard, testing::Contains("up n0 240-250"));
  // It failed while nobody looked, and was found down.
  EXPECT_THAT(heard, testing::Not(testing::Contains("failed n1 210")));
  EXPECT_THAT(heard, testing::Not(testing::Contains("look 200")));
  // At 100 both, at 150 none fails within what was watched; at 250 and 300 n0; then both thrice.
  EXPECT_EQ(scores[0].predictions, 2U + 2U + 6U);
  EXPECT_EQ(scores[0].failures, 2U);
}

TEST(Backtest, SaysThatALogIsTooShort) {
  BacktestOptions options;
  EXPECT_THROW(run_backtest(two_hosts(), options, backtest_estimators()), Error);
}

// Mean log loss of all estimators over several seeds, by horizon: gamma, constant, and the truth.
struct Losses {
  std::vector<double> gamma, constant, truth;
};

Losses losses_of(const test::FleetPlan& plan, std::initializer_list<std::uint64_t> seeds) {
  Losses losses;
  for (const std::uint64_t seed : seeds) {
    const test::SimulatedFleet fleet(plan, seed);
    Estimators estimators = backtest_estimators();
    estimators.resize(2);  // gamma and constant
    estimators.push_back(std::make_unique<test::TruthBacktest>(fleet));
    const auto scores = run_backtest(fleet.log(), {}, estimators);
    for (auto* list : {&losses.gamma, &losses.constant, &losses.truth}) list->resize(scores.size());
    for (std::size_t h = 0; h < scores.size(); ++h) {
      losses.gamma[h] += scores[h].estimators[0].log_loss;
      losses.constant[h] += scores[h].estimators[1].log_loss;
      losses.truth[h] += scores[h].estimators[2].log_loss;
    }
  }
  return losses;
}

// What is promised of estimates. The last fleets are none that it is promised of: rates that are
// drawn anew nobody knows at once.
class SimulatedFleets : public testing::TestWithParam<test::FleetPlan> {};

TEST_P(SimulatedFleets, AreForecastAlmostAsWellAsCanBe) {
  const test::FleetPlan& plan = GetParam();
  const Losses losses = losses_of(plan, {11, 12, 13, 14});
  const bool alike = plan.name.rfind("homogeneous", 0) == 0;
  for (std::size_t h = 0; h < losses.truth.size(); ++h) {
    SCOPED_TRACE("horizon " + std::to_string(h));
    if (alike) {
      EXPECT_LT(losses.gamma[h], 1.02 * losses.constant[h]);
    } else {
      EXPECT_LT(losses.gamma[h], losses.constant[h]);
    }
    EXPECT_LT(losses.gamma[h], (plan.change > 0 ? 1.25 : 1.1) * losses.truth[h]);
  }
}

std::string name_of_plan(const testing::TestParamInfo<test::FleetPlan>& plan) {
  std::string name = plan.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == ','; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Of200Hosts, SimulatedFleets,
                         testing::ValuesIn(test::fleet_plans(200, 150)), name_of_plan);

}  // namespace
}  // namespace tofa
