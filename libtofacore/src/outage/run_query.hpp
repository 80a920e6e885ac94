// SPDX-License-Identifier: BSD-3-Clause
// Running tofa-query, for all that is asked of the health service.
#pragma once

#include <string>
#include <vector>

#include "tofa/child_process.hpp"
#include "tofa/health_query.hpp"

namespace tofa {

// See tofa-query(1).
inline constexpr int kStatusUsage = 2;
inline constexpr int kStatusNoData = 5;

// With `more` options. Throws Error (unavailable) where there is no such program.
ChildResult run_query(const HealthQuery& query, const std::vector<std::string>& more);

// Throws Error unless there is an answer, with what is wrong and what to do.
void refuse_failure(const HealthQuery& query, const ChildResult& result);

}  // namespace tofa
