// SPDX-License-Identifier: BSD-3-Clause
// What the health service knows, as metrics for Prometheus: one family of gauges for each thing
// that a snapshot says of a host, in base units, and how old the snapshot itself is.
#pragma once

#include <string>

#include "tofa/health_snapshot.hpp"

namespace tofa::health {

// The media type of the text.
inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

// The text exposition of a snapshot; of nullptr, which stands for none that can be read, only that
// there is none.
std::string metrics_text(const Snapshot* snapshot);

}  // namespace tofa::health
