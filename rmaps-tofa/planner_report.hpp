// SPDX-License-Identifier: BSD-3-Clause
// The report of a placement, for people, and its figures for the site.
#pragma once

#include <string>

#include "planner_inputs.hpp"
#include "tofa/place.hpp"

namespace tofa::planner {

std::string format_report(const tofa_job& job, const Settings& settings, const Inputs& inputs,
                          const Placement& placement);

// As fields of a line of the site's log.
std::string format_figures(const tofa_job& job, const Settings& settings, const Inputs& inputs,
                           const Placement& placement);

}  // namespace tofa::planner
