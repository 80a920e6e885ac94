// SPDX-License-Identifier: BSD-3-Clause
// The registry of estimation methods. A new method is one file that defines an `EstimatorMethod`,
// plus its line in estimator.cpp.
#pragma once

#include <memory>
#include <string_view>

#include "base/registry.hpp"
#include "tofa/estimator.hpp"

namespace tofa {

struct EstimatorMethod {
  std::string_view name;
  // Throws Error (bad_input) for an option out of range.
  std::unique_ptr<Estimator> (*make)(const EstimatorOptions& options);
};

Registry<EstimatorMethod> estimator_registry();

}  // namespace tofa
