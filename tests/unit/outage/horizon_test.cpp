// SPDX-License-Identifier: BSD-3-Clause
// How likely a host fails while a job runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "support.hpp"
#include "tofa/outage.hpp"

namespace tofa {
namespace {

constexpr double kHour = 3600;

HostOutage host(double probability, double rate) {
  return {.host = "n", .probability = probability, .rate = rate};
}

TEST(Horizon, CountsWhatMayHappenWithinIt) {
  EXPECT_DOUBLE_EQ(probability_within(host(0, 0.5), kHour), 1 - std::exp(-0.5));
  EXPECT_DOUBLE_EQ(probability_within(host(0.2, 0.5), 2 * kHour), 1 - 0.8 * std::exp(-1));
  EXPECT_EQ(probability_within(host(1, 0.5), kHour), 1);
  EXPECT_EQ(probability_within(host(0.2, 0), kHour), 0.2);
  EXPECT_EQ(probability_within(host(0.2, -1), kHour), 0.2) << "the rate is not known";
}

TEST(Horizon, AHostThatFailsOnceAYearIsNotSuspect) {
  const double yearly = 1 / (365 * 24.0);
  EXPECT_EQ(probability_within(host(0, yearly), 8 * kHour), 0);
  EXPECT_GT(probability_within(host(0, yearly), 48 * kHour), kHorizonFloor);
  EXPECT_GT(probability_within(host(0.25, yearly), kHour), 0.25) << "it is suspect anyway";
}

TEST(Horizon, FollowsHazardsWhereTheyAreKnown) {
  HostOutage falling = host(0.001, 1);
  falling.within = {0.001, 0.01, 0.04};
  EXPECT_DOUBLE_EQ(probability_within(falling, kHour), -std::expm1(-0.001));
  EXPECT_DOUBLE_EQ(probability_within(falling, 24 * kHour), -std::expm1(-0.01));
  EXPECT_DOUBLE_EQ(probability_within(falling, 168 * kHour), -std::expm1(-0.04));
  const double power = std::log(10) / std::log(24);
  EXPECT_NEAR(probability_within(falling, 12 * kHour), 0.001 * std::pow(12, power), 1e-4);
  EXPECT_GT(probability_within(falling, 60), 0) << "no floor";
  EXPECT_LT(probability_within(falling, 60), 0.0005);
  EXPECT_GT(probability_within(falling, 1000 * kHour), 0.05);
  EXPECT_EQ(probability_within(falling, 0), 0.001);
  EXPECT_EQ(over_horizon({falling}, 60)[0].probability, 0) << "not suspect";
  EXPECT_FALSE(over_horizon({falling}, 24 * kHour)[0].within.has_value());
  falling.probability = 1;
  EXPECT_EQ(probability_within(falling, kHour), 1) << "it is down";
  HostOutage never = host(0, 0);
  never.within = HazardsWithin{};
  EXPECT_EQ(probability_within(never, kHour), 0);
}

TEST(Horizon, IsAnHourForJobsOfUnknownLength) {
  HostOutage bad = host(0, 1);
  bad.within = {0.01, 0.1, 0.4};
  const OutageList assumed = over_assumed_horizon({bad, host(0, 1)});
  EXPECT_DOUBLE_EQ(assumed[0].probability, -std::expm1(-0.01));
  EXPECT_EQ(assumed[1].probability, 0) << "only its rate is known";
}

TEST(Horizon, GrowsWithHazards) {
  EXPECT_TRUE(rc::check([](std::uint16_t h, std::uint16_t more, std::uint16_t yet_more,
                           std::uint32_t a, std::uint32_t b) {
    HostOutage outage = host(0, 0);
    outage.within = {h / 1000.0, (h + more) / 1000.0, (h + more + yet_more) / 1000.0};
    const double shorter = probability_within(outage, std::min(a, b));
    const double longer = probability_within(outage, std::max(a, b));
    RC_ASSERT(0 <= shorter && longer <= 1);
    RC_ASSERT(shorter <= longer + 1e-12);
  }));
}

TEST(Horizon, HazardsAreReadFromJsonAndWritten) {
  HostOutage outage = host(0.5, 0.25);
  outage.within = {0.25, 0.5, 0.75};
  EXPECT_EQ(parse_outages(format_outages_json({outage}), "f")[0].within, outage.within);
  for (const char* wrong :
       {"[1, 2]", "[1, 2, 3, 4]", "[2, 1, 3]", "[-1, 2, 3]", "[\"1\", 2, 3]", "3"}) {
    EXPECT_THAT(test::error_of([wrong] {
                  parse_outages(std::string(R"({"version": 1, "nodes": [{"host": "a", )") +
                                    R"("probability": 0, "within": )" + wrong + "}]}",
                                "f");
                }),
                ::testing::HasSubstr("\"within\" that is not 3 hazards"))
        << wrong;
  }
}

TEST(Horizon, RoundedItIsTheSameForAWhile) {
  EXPECT_EQ(round_horizon(kHour), kHour);
  EXPECT_EQ(round_horizon(kHour - 1), kHour);
  EXPECT_EQ(round_horizon(kHour - 299), kHour);
  EXPECT_EQ(round_horizon(7.2), 8);
  EXPECT_EQ(round_horizon(0), 0);
  EXPECT_TRUE(rc::check([](std::uint32_t seconds) {
    const double rounded = round_horizon(seconds);
    RC_ASSERT(rounded >= seconds);
    RC_ASSERT(rounded <= std::max(1.125 * seconds, seconds + 1.0));
    RC_ASSERT(round_horizon(rounded) == rounded);
  }));
}

TEST(Horizon, ProbabilityGrowsWithIt) {
  EXPECT_TRUE(rc::check([](std::uint16_t p, std::uint16_t r, std::uint32_t a, std::uint32_t b) {
    const HostOutage outage = host(p / 65535.0, r / 1000.0);
    const double shorter = probability_within(outage, std::min(a, b));
    const double longer = probability_within(outage, std::max(a, b));
    RC_ASSERT(probability_within(outage, 0) == outage.probability);
    RC_ASSERT(outage.probability <= shorter);
    RC_ASSERT(shorter <= longer);
    RC_ASSERT(longer <= 1);
  }));
}

TEST(Horizon, IsAppliedToAListOnce) {
  const OutageList list = {host(0, 1), host(0.5, -1)};
  const OutageList within = over_horizon(list, kHour);
  EXPECT_DOUBLE_EQ(within[0].probability, 1 - std::exp(-1));
  EXPECT_EQ(within[1].probability, 0.5);
  EXPECT_EQ(over_horizon(within, kHour)[0].probability, within[0].probability);
  EXPECT_EQ(over_horizon(list, 0)[0].rate, 1) << "without a horizon nothing changes";
}

TEST(Horizon, RatesAreReadFromFilesAndWritten) {
  const OutageList lines = parse_outages("n1 0 5 0.25\nn2 0.5 5\nn3 0.5\n", "f");
  EXPECT_EQ(lines[0].rate, 0.25);
  EXPECT_LT(lines[1].rate, 0);
  EXPECT_THAT(test::error_of([] { parse_outages("n1 0 5 -2\n", "f"); }),
              ::testing::HasSubstr("f:1: rate"));
  const OutageList json = parse_outages(format_outages_json(lines), "f");
  EXPECT_EQ(json[0].rate, 0.25);
  EXPECT_LT(json[1].rate, 0);
  EXPECT_THAT(test::error_of([] {
                parse_outages(
                    R"({"version": 1, "nodes": [{"host": "a", "probability": 0, "rate": -1}]})",
                    "f");
              }),
              ::testing::HasSubstr("\"rate\" that is not a number of outages per hour from 0"));
}

}  // namespace
}  // namespace tofa
