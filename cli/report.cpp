// SPDX-License-Identifier: BSD-3-Clause
// Formatting of metrics: see report.hpp.
#include "report.hpp"

#include <fmt/core.h>

#include "tofa/place.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {

nlohmann::ordered_json metrics_json(const Metrics& metrics) {
  return {{"ranks", metrics.ranks},
          {"bytes", metrics.bytes},
          {"hop_bytes", metrics.hop_bytes},
          {"average_hops_per_byte", metrics.average_hops_per_byte},
          {"dilation", metrics.dilation},
          {"max_link_load", metrics.max_link_load},
          {"completion_time", objective_value(Objective::completion_time, metrics)},
          {"fault_weighted_cost", metrics.fault_weighted_cost},
          {"abort_probability", metrics.abort_probability},
          {"nodes_used", metrics.nodes_used}};
}

std::string metrics_text(const Metrics& metrics) {
  std::string text;
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{:<22} {}\n", name, value);
  };
  line("ranks", fmt::format("{}", metrics.ranks));
  line("nodes used", fmt::format("{}", metrics.nodes_used));
  line("bytes", human_bytes(static_cast<double>(metrics.bytes)));
  line("hop-bytes", human_bytes(metrics.hop_bytes));
  line("average hops per byte", fmt::format("{:.3f}", metrics.average_hops_per_byte));
  line("dilation", fmt::format("{} hops", metrics.dilation));
  line("maximum link load", human_bytes(metrics.max_link_load));
  line("fault-weighted cost", fmt::format("{:.6g}", metrics.fault_weighted_cost));
  line("abort probability", fmt::format("{:.4g}", metrics.abort_probability));
  return text;
}

}  // namespace tofa::cli
