// SPDX-License-Identifier: BSD-3-Clause
// The planner's settings, from the text of the keys.
#pragma once

#include "planner.h"
#include "tofa/settings.hpp"

namespace tofa::planner {

struct Settings : PlacementSettings {
  PlaceOptions place;
};

// Throws Error (bad_input) for a value that tofa_check_setting() would refuse.
Settings read_settings(const tofa_job& job);

}  // namespace tofa::planner
