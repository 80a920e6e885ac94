// SPDX-License-Identifier: BSD-3-Clause
// Formatting of metrics: see report.hpp.
#include "report.hpp"

#include <fmt/core.h>

#include "tofa/metrics.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string metric_text(MetricUnit unit, MetricValue value) {
  const double number = as_double(value);
  switch (unit) {
    case MetricUnit::count:
      return fmt::format("{:.0f}", number);
    case MetricUnit::bytes:
      return human_bytes(number);
    case MetricUnit::hops:
      return fmt::format("{:.0f} hops", number);
    case MetricUnit::hops_per_byte:
      return fmt::format("{:.3f}", number);
    case MetricUnit::cost:
      return fmt::format("{:.6g}", number);
    case MetricUnit::probability:
      return fmt::format("{:.4g}", number);
  }
  return "";
}

double as_double(MetricValue value) {
  return std::visit([](auto number) { return static_cast<double>(number); }, value);
}

nlohmann::ordered_json metrics_json(const Metrics& metrics) {
  nlohmann::ordered_json json;
  const auto table = metric_registry();
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::visit([&json, name = table[i]->name](auto value) { json[std::string(name)] = value; },
               metrics.values[i]);
  }
  return json;
}

nlohmann::ordered_json origins_json(const InputOrigins& origins) {
  return {{"graph", origins.graph}, {"topology", origins.topology}, {"outages", origins.outages}};
}

std::string metrics_text(const Metrics& metrics) {
  std::string counts;
  std::string others;
  const auto table = metric_registry();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Metric& metric = *table[i];
    if (metric.title.empty()) continue;
    (metric.unit == MetricUnit::count ? counts : others) +=
        fmt::format("{:<22} {}\n", metric.title, metric_text(metric.unit, metrics.values[i]));
  }
  return counts + others;
}

}  // namespace tofa::cli
