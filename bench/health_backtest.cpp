// SPDX-License-Identifier: BSD-3-Clause
// How far estimates of outages are from the truth: prints, for simulated fleets of several sizes
// and kinds, the log loss of each estimator over each horizon, divided by that of the truth itself.
//
//     tofa-health-backtest [FIRST_SEED [SEEDS [HALF_LIFE_DAYS]]]
#include <fmt/core.h>

#include <cstdlib>
#include <map>

#include "support/simulated_fleet.hpp"

namespace {

using namespace tofa;
using namespace tofa::test;

constexpr std::array kHorizonNames{"1 h", "24 h", "7 d"};

// Log loss by horizon and estimator, summed over seeds.
using Losses = std::vector<std::vector<double>>;

std::vector<std::string> add_losses(Losses& losses, const FleetPlan& plan, std::uint64_t seed,
                                    double half_life_days) {
  const SimulatedFleet fleet(plan, seed);
  auto estimators = backtest_estimators({half_life_days});
  estimators.push_back(std::make_unique<TruthBacktest>(fleet));
  const auto scores = run_backtest(fleet.log(), {}, estimators);
  losses.resize(scores.size(), std::vector<double>(estimators.size()));
  for (std::size_t h = 0; h < scores.size(); ++h) {
    for (std::size_t e = 0; e < estimators.size(); ++e) {
      losses[h][e] += scores[h].estimators[e].log_loss;
    }
  }
  std::vector<std::string> names;
  for (const auto& estimator : estimators) names.push_back(estimator->name());
  return names;
}

void print_fleet(const FleetPlan& plan, std::uint64_t first, std::uint64_t seeds,
                 double half_life_days) {
  Losses losses;
  std::vector<std::string> names;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    names = add_losses(losses, plan, seed, half_life_days);
  }
  for (std::size_t h = 0; h < losses.size(); ++h) {
    const double truth = losses[h].back();
    fmt::print("| {} | {} | {:g} | {} | {:.5f} |", plan.name, plan.hosts, plan.days,
               kHorizonNames.at(h), truth / static_cast<double>(seeds));
    for (std::size_t e = 0; e + 1 < names.size(); ++e) {
      fmt::print(" {:.3f} |", losses[h][e] / truth);
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

struct FleetSize {
  std::size_t hosts;
  double days;
};

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t seeds = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 3;
  const double half_life_days = argc > 3 ? std::atof(argv[3]) : kOutageHalfLifeDays;
  fmt::print(
      "| fleet | hosts | days | horizon | truth | gamma | constant | rate | moving average | ewma "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const FleetSize& size : {FleetSize{200, 150}, {50, 90}, {50, 730}, {1000, 60}}) {
    for (const FleetPlan& plan : fleet_plans(size.hosts, size.days))
      print_fleet(plan, first, seeds, half_life_days);
  }
}
