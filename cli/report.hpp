// SPDX-License-Identifier: BSD-3-Clause
// How metrics and placements are shown: as JSON for scripts, as text for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tofa/place.hpp"

namespace tofa::cli {

nlohmann::ordered_json metrics_json(const Metrics& metrics);
// One line per metric, aligned.
std::string metrics_text(const Metrics& metrics);

}  // namespace tofa::cli
