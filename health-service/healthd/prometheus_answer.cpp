// SPDX-License-Identifier: BSD-3-Clause
// The JSON is read entry by entry; a series that is none spoils the answer, since nobody knows then
// what it would have said.
#include "healthd/prometheus_answer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "healthd/config.hpp"
#include "tofa/error.hpp"
#include "tofa/outage_cause.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::bad_input, problem);
}

// The member of an object, or null.
const Json& member(const Json& json, const char* key) {
  static const Json null;
  if (!json.is_object()) return null;
  const auto found = json.find(key);
  return found == json.end() ? null : *found;
}

std::string text_in(const Json& json) {
  return json.is_string() ? json.get<std::string>() : "";
}

// Prometheus writes values as text, among them NaN, +Inf and -Inf.
std::optional<double> value_in(const Json& pair) {
  if (!pair.is_array() || pair.size() != 2 || !pair[1].is_string()) return std::nullopt;
  const auto& text = pair[1].get_ref<const std::string&>();
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  return parse_number<double>(text);
}

// `n1:9100`, `10.0.0.1:9100`, `[fd00::1]:9100`: without the port and the brackets.
std::string_view without_port(std::string_view label) {
  if (label.starts_with('[')) {
    return label.substr(1, std::min(label.find(']'), label.size()) - 1);
  }
  const std::size_t colon = label.find(':');
  // More than one are of a bare IPv6 address.
  return colon == label.rfind(':') ? label.substr(0, colon) : label;
}

}  // namespace

std::vector<PrometheusSample> parse_prometheus(std::string_view text, const std::string& label) {
  const Json answer = Json::parse(text, nullptr, false);
  if (answer.is_discarded()) refuse("its answer is no JSON, or was cut short");
  if (text_in(member(answer, "status")) != "success") {
    const std::string error = as_cause(text_in(member(answer, "error")));
    refuse(error.empty() ? "its answer is none of Prometheus" : "it says: " + error);
  }
  const Json& data = member(answer, "data");
  const Json& result = member(data, "result");
  if (text_in(member(data, "resultType")) != "vector" || !result.is_array()) {
    refuse(fmt::format("the query must yield an instant vector, this one yields {}",
                       excerpt(text_in(member(data, "resultType")))));
  }
  std::vector<PrometheusSample> samples;
  samples.reserve(result.size());
  for (const Json& series : result) {
    const auto value = value_in(member(series, "value"));
    if (!value) refuse(fmt::format("series {} of its answer has no value", samples.size() + 1));
    samples.push_back({text_in(member(member(series, "metric"), label.c_str())), *value});
  }
  return samples;
}

PrometheusOpinions::PrometheusOpinions(const std::vector<HostConfig>& hosts,
                                       const std::string& query)
    : names_(names_of(hosts)), cause_(as_cause("prometheus " + query)) {
  for (std::uint32_t i = 0; i < hosts.size(); ++i) addresses_.emplace(hosts[i].address.host, i);
}

std::optional<std::uint32_t> PrometheusOpinions::find(std::string_view label) const {
  const std::string_view host = without_port(label);
  if (const auto named = names_.find(host)) return named;
  const auto found = addresses_.find(std::string(host));
  return found == addresses_.end() ? std::nullopt : std::optional(found->second);
}

Opinions PrometheusOpinions::judge(const std::vector<PrometheusSample>& samples) const {
  Opinions opinions{.verdicts = std::vector<Verdict>(names_.names().size(), Verdict::unknown)};
  bool any = false;
  for (const PrometheusSample& sample : samples) {
    const auto host = find(sample.label);
    if (!host) continue;
    any = true;
    if (std::isnan(sample.value) || opinions.verdicts[*host] == Verdict::missed) continue;
    opinions.verdicts[*host] = sample.value == 0 ? Verdict::missed : Verdict::up;
    if (sample.value == 0) opinions.causes[*host] = cause_;
  }
  if (!any) {
    refuse(
        fmt::format("none of the {} series it answers with is about a host of this service; "
                    "do [prometheus] query and label fit?",
                    samples.size()));
  }
  return opinions;
}

}  // namespace tofa::health
