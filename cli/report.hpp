// SPDX-License-Identifier: BSD-3-Clause
// How metrics and placements are shown: as JSON for scripts, as text for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common_options.hpp"
#include "tofa/metrics.hpp"

namespace tofa::cli {

// A document as programs read it, indented and with a newline at the end. Names of files may be any
// bytes, and what is no UTF-8 in them is replaced: a name that cannot be shown is no reason to
// withhold the rest.
std::string json_text(const nlohmann::ordered_json& json);

double as_double(MetricValue value);
nlohmann::ordered_json metrics_json(const Metrics& metrics);
nlohmann::ordered_json origins_json(const InputOrigins& origins);
// A value with its unit, for people.
std::string metric_text(MetricUnit unit, MetricValue value);
// One line per metric, aligned; plain counts come first.
std::string metrics_text(const Metrics& metrics);

}  // namespace tofa::cli
