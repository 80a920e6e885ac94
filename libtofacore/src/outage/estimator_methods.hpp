// SPDX-License-Identifier: BSD-3-Clause
// The registry of estimation methods. A new method is one file that defines an `EstimatorMethod`,
// plus its line in estimator.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

// Of the heartbeats in the time of an outage: how many have come since the last and the first.
struct HeartbeatAges {
  std::uint64_t youngest = 0;
  std::uint64_t oldest = 0;
};
// At least one heartbeat; nothing where none has come since.
std::optional<HeartbeatAges> ages_of(double start, double end, const HeartbeatTimes& times);

}  // namespace tofa
