// SPDX-License-Identifier: BSD-3-Clause
// Against printed tables of the chi-squared distribution, and the inverse against the function.
#include "outage/gamma_quantile.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tofa {
namespace {

TEST(GammaQuantile, IsThatOfTheExponentialDistribution) {
  EXPECT_NEAR(gamma_below(1, 0.5), 1 - std::exp(-0.5), 1e-12);
  EXPECT_NEAR(gamma_quantile(1, 0.95), -std::log(0.05), 1e-8);
  EXPECT_EQ(gamma_below(1, 0), 0);
}

TEST(GammaQuantile, HalvesChiSquared) {
  EXPECT_NEAR(2 * gamma_quantile(0.5, 0.95), 3.841459, 1e-5);   // 1 degree of freedom
  EXPECT_NEAR(2 * gamma_quantile(10, 0.05), 10.850811, 1e-5);   // 20
  EXPECT_NEAR(2 * gamma_quantile(50, 0.95), 124.342113, 1e-4);  // 100
}

TEST(GammaQuantile, UndoesTheFunction) {
  for (const double shape : {0.03, 0.3, 1.0, 2.5, 30.0, 1000.0}) {
    for (const double probability : {0.05, 0.3, 0.5, 0.95, 0.999}) {
      const double x = gamma_quantile(shape, probability);
      if (x > 0) {
        EXPECT_NEAR(gamma_below(shape, x), probability, 1e-7) << shape;
      }
    }
  }
}

TEST(GammaQuantile, OfATinyShapeIsZeroWhereNoNumberIsThatSmall) {
  EXPECT_EQ(gamma_quantile(0.001, 0.05), 0);
}

}  // namespace
}  // namespace tofa
