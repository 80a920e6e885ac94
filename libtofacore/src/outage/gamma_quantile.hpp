// SPDX-License-Identifier: BSD-3-Clause
// Quantiles of the Gamma distribution.
#pragma once

namespace tofa {

// P(X <= x) for X of Gamma(shape, 1), both above 0.
double gamma_below(double shape, double x);

// The x with gamma_below(shape, x) = probability, to about nine digits; probability in (0, 1).
double gamma_quantile(double shape, double probability);

}  // namespace tofa
