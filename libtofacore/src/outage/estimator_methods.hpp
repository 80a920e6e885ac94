// SPDX-License-Identifier: BSD-3-Clause
// The registry in estimator.cpp, seen from inside: the makers it lists, one per estimation method,
// and the names it knows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tofa/estimator.hpp"

namespace tofa {

std::unique_ptr<Estimator> make_ewma_estimator(const EstimatorOptions& options);
std::unique_ptr<Estimator> make_moving_average_estimator(const EstimatorOptions& options);

std::vector<std::string> estimator_names();

}  // namespace tofa
