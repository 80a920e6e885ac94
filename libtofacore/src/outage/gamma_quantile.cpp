// SPDX-License-Identifier: BSD-3-Clause
// The regularised incomplete gamma function, by its series below the mean and by Lentz's continued
// fraction above it (Abramowitz and Stegun, 6.5.29 and 6.5.31), and its inverse by bisection.
#include "outage/gamma_quantile.hpp"

#include <algorithm>
#include <cmath>

namespace tofa {
namespace {

constexpr int kMostTerms = 2000;
constexpr double kLastTerm = 1e-12;

// std::lgamma writes a global variable.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double by_series(double shape, double x) {
  double term = 1 / shape;
  double sum = term;
  for (int i = 1; i < kMostTerms && term > sum * kLastTerm; ++i) {
    term *= x / (shape + i);
    sum += term;
  }
  return sum * std::exp(shape * std::log(x) - x - log_gamma(shape));
}

// Of what is above x.
double by_fraction(double shape, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - shape;
  double c = 1 / tiny;
  double d = 1 / b;
  double value = d;
  for (int i = 1; i < kMostTerms; ++i) {
    const double a = -i * (i - shape);
    b += 2;
    d = a * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + a / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    value *= d * c;
    if (std::abs(d * c - 1) < kLastTerm) break;
  }
  return value * std::exp(shape * std::log(x) - x - log_gamma(shape));
}

}  // namespace

double gamma_below(double shape, double x) {
  if (x <= 0) return 0;
  const double below = x < shape + 1 ? by_series(shape, x) : 1 - by_fraction(shape, x);
  return std::clamp(below, 0.0, 1.0);
}

double gamma_quantile(double shape, double probability) {
  // Quantiles of small shapes are tiny: bisect their logarithm. Close to 0, P is
  // x^shape / Gamma(shape + 1), of which the quantile is never above.
  double low = (std::log(probability) + log_gamma(shape + 1)) / shape - 1;
  double high = std::log(shape + 10 * std::sqrt(shape) + 50 - std::log1p(-probability));
  if (low < -700) return 0;
  for (int i = 0; i < 200 && high - low > 1e-10; ++i) {
    const double middle = (low + high) / 2;
    (gamma_below(shape, std::exp(middle)) < probability ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

}  // namespace tofa
