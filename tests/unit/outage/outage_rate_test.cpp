// SPDX-License-Identifier: BSD-3-Clause
// What must hold of forecasts, whatever the fleet.
#include "tofa/outage_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tofa/outage.hpp"

namespace tofa::outage_rate_test {
namespace {

constexpr double kDay = 86'400;
constexpr double kHour = 3600;
constexpr double kBegin = 20'000 * kDay;
constexpr double kForever = std::numeric_limits<double>::infinity();

double day(double number) {
  return kBegin + number * kDay;
}

// Failed `times` times in `days` days, evenly.
HostEvidence host_that_failed(int times, double days) {
  HostEvidence host(kForever);
  for (int i = 0; i < times; ++i) {
    host.watch(day(days * i / (times + 1)), day(days * (i + 1) / (times + 1)));
    host.fail(day(days * (i + 1) / (times + 1)));
    host.recover(day(days * (i + 1) / (times + 1)));
  }
  host.watch(day(days * times / (times + 1)), day(days));
  return host;
}

struct Fleet {
  std::vector<HostEvidence> hosts;
  std::vector<std::string> classes;

  void add(int count, int times, double days, const std::string& host_class = "") {
    for (int i = 0; i < count; ++i) {
      hosts.push_back(host_that_failed(times, days));
      classes.push_back(host_class);
    }
  }
  FleetRates rates(double now) const {
    std::vector<FleetHost> list;
    for (std::size_t i = 0; i < hosts.size(); ++i) list.push_back({classes[i], &hosts[i]});
    return FleetRates(list, now);
  }
};

// Follows the steps of a forecast with nothing but its numbers.
double follow(const OutageForecast& forecast, double days) {
  double rate = 0;
  for (const OutageForecast::Kind& kind : forecast.kinds) {
    rate += kind.share * (kind.prior_outages + forecast.outages) /
            (kind.prior_days + forecast.own_days);
  }
  EXPECT_NEAR(rate, forecast.average_rate, 1e-12 + 1e-9 * rate);
  return -std::expm1(-forecast.average_rate * forecast.hazard * days * forecast.doubt);
}

TEST(FleetRates, TheStepsOfAForecastLeadToIt) {
  Fleet fleet;
  fleet.add(200, 0, 100);
  fleet.add(10, 40, 100, "bad");
  fleet.add(1, 1, 100);
  const FleetRates rates = fleet.rates(day(100));
  ASSERT_GT(rates.forecast(fleet.hosts[0], "", day(100), kHour).kinds.size(), 1U)
      << "a mixture, too";
  HostEvidence out = fleet.hosts.back();
  out.fail(day(100));
  const HostEvidence unknown;
  const std::vector<const HostEvidence*> hosts{&fleet.hosts[0], &fleet.hosts[205],
                                               &fleet.hosts.back(), &out, &unknown};
  for (const HostEvidence* host : hosts) {
    for (const char* host_class : {"", "bad"}) {
      for (const double hours : {0.01, 1.0, 24.0, 10'000.0}) {
        const auto forecast = rates.forecast(*host, host_class, day(101), hours * kHour);
        EXPECT_NEAR(follow(forecast, hours / 24), forecast.probability,
                    1e-9 * forecast.probability);
        EXPECT_LT(forecast.rate_low, forecast.rate_high);
        EXPECT_LE(forecast.doubt, 1 + 1e-9);
        EXPECT_GT(forecast.doubt, 0);
      }
    }
  }
}

TEST(FleetRates, WithoutHistorySaysAnOutageInHalfAYear) {
  const HostEvidence unknown;
  const double p = FleetRates().probability(unknown, "", day(0), 24 * kHour);
  const double hazard = 30 * (std::pow(31.0 / 30, 0.8) - 1);  // of a day, a month after an outage
  EXPECT_NEAR(p, hazard / (180 + hazard), 1e-9);
  const FleetHost host{"", &unknown};
  EXPECT_NEAR(FleetRates({&host, 1}, day(0)).probability(unknown, "", day(0), 24 * kHour), p, 1e-9);
}

// Long before its fleet has shown anything else.
TEST(FleetRates, AHostThatFailedAMomentAgoIsSuspectForAnHour) {
  Fleet fleet;
  fleet.add(7, 0, 0.01);
  HostEvidence failed(kForever);
  failed.watch(day(0), day(0.01));
  failed.fail(day(0.01));
  failed.recover(day(0.0101));
  fleet.hosts.push_back(failed);
  fleet.classes.emplace_back();
  const auto rates = fleet.rates(day(0.0102));
  EXPECT_GT(rates.probability(failed, "", day(0.0102), kHour), kHorizonFloor);
  EXPECT_LT(rates.probability(fleet.hosts[0], "", day(0.0102), kHour), kHorizonFloor);
}

TEST(FleetRates, GivesANewHostTheRateOfItsFleet) {
  Fleet fleet;
  fleet.add(40, 2, 100);
  const auto rates = fleet.rates(day(100));
  const HostEvidence unknown;
  EXPECT_NEAR(rates.prior("").mean(), 0.02, 0.001);
  EXPECT_NEAR(rates.forecast(unknown, "", day(100), 24 * kHour).prior_rate, 0.02, 0.001);
}

TEST(FleetRates, IsNeitherCertainAfterOneFailureNorSafeAfterNone) {
  Fleet fleet;
  fleet.add(30, 0, 100);
  fleet.add(30, 1, 100);
  HostEvidence young(kForever);
  young.watch(day(99), day(99.5));
  young.fail(day(99.5));
  young.recover(day(99.51));
  young.watch(day(99.51), day(100));
  const auto rates = fleet.rates(day(100));
  EXPECT_LT(rates.probability(young, "", day(100), 24 * kHour), 0.1);
  EXPECT_GT(rates.probability(fleet.hosts[0], "", day(100), kHour), 1e-5);
}

TEST(FleetRates, RanksHostsByWhatTheyShowed) {
  Fleet fleet;
  fleet.add(40, 0, 100);
  fleet.add(10, 2, 100);
  fleet.add(4, 12, 100);
  const auto rates = fleet.rates(day(100));
  const auto p = [&](std::size_t host) {
    return rates.probability(fleet.hosts[host], "", day(100), 24 * kHour);
  };
  EXPECT_LT(2 * p(0), p(40));
  EXPECT_LT(2 * p(40), p(50));
  EXPECT_NEAR(p(50), 0.11, 0.03);
}

TEST(FleetRates, TakesHostsThatFailAlikeForAlike) {
  // Poisson counts of mean 1: what chance makes of equal hosts.
  Fleet fleet;
  fleet.add(74, 0, 100);
  fleet.add(74, 1, 100);
  fleet.add(37, 2, 100);
  fleet.add(12, 3, 100);
  fleet.add(3, 4, 100);
  const auto rates = fleet.rates(day(100));
  ASSERT_EQ(rates.prior("").kinds.size(), 1U);
  EXPECT_GE(rates.prior("").kinds[0].shape, 36);
  EXPECT_GE(rates.hazard_shape(), 0.8);
}

TEST(FleetRates, TellsAFewBadHostsFromTheOthers) {
  Fleet fleet;
  fleet.add(180, 0, 100);
  fleet.add(60, 1, 100);
  fleet.add(10, 2, 100);
  fleet.add(10, 20, 100);
  const auto rates = fleet.rates(day(100));
  ASSERT_EQ(rates.prior("").kinds.size(), 2U);
  EXPECT_NEAR(rates.prior("").kinds[1].share, 10.0 / 260, 0.02);
  // One outage does not make it one of them.
  EXPECT_LT(rates.probability(fleet.hosts[180], "", day(100), 24 * kHour), 0.01);
  EXPECT_GT(rates.probability(fleet.hosts.back(), "", day(100), 24 * kHour), 0.1);
}

TEST(FleetRates, LearnsAClassOfItsOwn) {
  Fleet fleet;
  fleet.add(30, 0, 100, "cpu");
  fleet.add(30, 5, 100, "gpu");
  fleet.add(3, 0, 100, "fat");  // too few
  const auto rates = fleet.rates(day(100));
  const HostEvidence unknown;
  const auto forecast = [&](const char* name) {
    return rates.forecast(unknown, name, day(100), 24 * kHour);
  };
  EXPECT_TRUE(forecast("gpu").of_class);
  EXPECT_EQ(forecast("gpu").prior_hosts, 30U);
  EXPECT_NEAR(forecast("gpu").prior_rate, 0.05, 0.01);
  EXPECT_LT(forecast("cpu").prior_rate, 0.01);
  EXPECT_FALSE(forecast("fat").of_class);
  EXPECT_EQ(forecast("fat").prior_hosts, 63U);
}

TEST(FleetRates, LetsTheHazardFallWhereOutagesCluster) {
  Fleet fleet;
  for (int i = 0; i < 60; ++i) {
    HostEvidence host(kForever);
    // Three in two days, then none for long.
    double last = day(0);
    for (const double at : {20 + i / 10.0, 20.5 + i / 10.0, 21.5 + i / 10.0}) {
      host.watch(last, day(at));
      host.fail(day(at));
      host.recover(day(at));
      last = day(at);
    }
    host.watch(last, day(100));
    fleet.hosts.push_back(host);
    fleet.classes.emplace_back();
  }
  const auto rates = fleet.rates(day(100));
  EXPECT_LE(rates.hazard_shape(), 0.6);
  HostEvidence again = fleet.hosts[0];
  again.fail(day(100));
  again.recover(day(100.01));
  const auto soon = rates.forecast(again, "", day(100.1), 24 * kHour);
  const auto later = rates.forecast(again, "", day(130), 24 * kHour);
  EXPECT_GT(soon.probability, 3 * later.probability);
  EXPECT_GT(soon.multiplier, 1);
  EXPECT_LT(later.multiplier, 1);
}

TEST(FleetRates, GrowsWithTheHorizonAndStaysAProbability) {
  for (const int bad : {0, 10}) {
    Fleet fleet;
    fleet.add(100, 1, 100);
    fleet.add(bad, 30, 100);
    const auto rates = fleet.rates(day(100));
    for (const HostEvidence& host : {fleet.hosts.front(), fleet.hosts.back(), HostEvidence()}) {
      double before = 0;
      for (const double horizon : {1.0, kHour, 24 * kHour, 7 * kDay, 1e4 * kDay, 1e9 * kDay}) {
        const auto forecast = rates.forecast(host, "", day(100), horizon);
        EXPECT_GE(forecast.probability, before);
        EXPECT_GT(forecast.probability, 0);
        EXPECT_LE(forecast.probability, 1);
        if (before < 0.9) {
          EXPECT_GT(forecast.probability, before) << horizon;
        }
        EXPECT_LE(0, forecast.low);
        EXPECT_LE(forecast.low, forecast.high);
        EXPECT_LE(forecast.high, 1);
        before = forecast.probability;
      }
      const auto forecast = rates.forecast(host, "", day(100), kHour);
      EXPECT_LT(forecast.low, forecast.probability);
      EXPECT_GT(forecast.high, forecast.probability);
    }
  }
  EXPECT_EQ(FleetRates().probability(HostEvidence(), "", day(0), 0), 0);
}

TEST(FleetRates, SaysWhy) {
  Fleet fleet;
  fleet.add(50, 1, 100);
  fleet.add(1, 4, 100);
  const auto rates = fleet.rates(day(100));
  const auto forecast = rates.forecast(fleet.hosts.back(), "", day(110), 24 * kHour);
  EXPECT_NEAR(forecast.outages, 4, 1e-9);
  EXPECT_NEAR(forecast.up_days, 100, 1e-9);
  EXPECT_NEAR(forecast.age_days, 30, 1e-9);
  EXPECT_TRUE(forecast.has_failed);
  EXPECT_GT(forecast.rate, 0);
  // For a day, rate and probability are about the same.
  EXPECT_NEAR(forecast.rate, forecast.probability, 0.1 * forecast.rate);
}

TEST(FleetRates, ForgetsHalfOfAnOutageInAHalfLife) {
  HostEvidence host(30);
  host.watch(day(0), day(1));
  host.fail(day(1));
  host.recover(day(1));
  EXPECT_NEAR(FleetRates().forecast(host, "", day(31), kHour).outages, 0.5, 1e-9);
}

}  // namespace
}  // namespace tofa::outage_rate_test
