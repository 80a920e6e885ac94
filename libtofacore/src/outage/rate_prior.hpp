// SPDX-License-Identifier: BSD-3-Clause
// The most likely distribution of rates over a number of hosts: see tofa/outage_rate.hpp.
#pragma once

#include <span>

#include "tofa/outage_rate.hpp"

namespace tofa {

// n and e of one host, for one shape of the hazard.
struct CountAndExposure {
  double outages = 0;
  double days = 0;
};

// What is believed of the mean rate before hosts are looked at: that of so many outages in so many
// days.
struct MeanBelief {
  double outages = 0.5;
  double days = 90;
};

struct FittedPrior {
  RatePrior prior;
  double log_likelihood = 0;  // beliefs included
};

// One Gamma distribution.
FittedPrior fit_one_kind(std::span<const CountAndExposure> hosts, const MeanBelief& belief = {});
// A mixture of two, where that is more likely by far than `one`; else `one`.
FittedPrior fit_two_kinds(std::span<const CountAndExposure> hosts, const FittedPrior& one,
                          const MeanBelief& belief = {});

// log of the likelihood of what a host showed if it is of that kind, but for what depends on the
// host alone.
double log_likelihood_of(const CountAndExposure& host, const HostKind& kind);

}  // namespace tofa
