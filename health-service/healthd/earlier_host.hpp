// SPDX-License-Identifier: BSD-3-Clause
// What was recorded under one name as what a host of another did before: whether that can be, and
// what the two make together. Pure.
#pragma once

#include <string>
#include <vector>

#include "healthd/fleet.hpp"
#include "healthd/store_contents.hpp"

namespace tofa::health {

// What was worked out for the host of that name, and nobody watches it any more. Throws tofa::Error
// (unmet) where nothing is known of it, or an outage of it lasts.
HostState earlier_host(const StoreContents& saved, const std::string& name);

// Throws tofa::Error (unmet) when both were up on the same day for longer than one host can be.
void refuse_two_at_once(const HostState& earlier, const HostState& host);

// Counts what the other one has seen as earlier evidence.
void add_evidence(Estimator& estimator, const HostState& earlier, const EstimatorOptions& method);

// What is to be saved of the host with both, of days those that have changed.
HostState merged(const HostState& host, const HostState& earlier, const EstimatorOptions& method);

}  // namespace tofa::health
