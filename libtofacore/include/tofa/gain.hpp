// SPDX-License-Identifier: BSD-3-Clause
// What a placement is predicted to gain, in words that mean something to whoever runs the job.
#pragma once

#include <string>

#include "tofa/metrics.hpp"

namespace tofa {

// How many times as fast `after` communicates as `before`, as predicted; 1 where there is no
// traffic.
double communication_speedup(const Metrics& before, const Metrics& after);

// The same in words: `34 % faster than the default`, `2.6 times as fast as the default`, `as fast
// as the default`, `8 % slower than the default`.
std::string speedup_text(const Metrics& before, const Metrics& after);

}  // namespace tofa
