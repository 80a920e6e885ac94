// SPDX-License-Identifier: BSD-3-Clause
// The JSON is read entry by entry, since anybody may listen where a Prometheus did.
#include "tofa/prometheus_vector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

using Json = nlohmann::json;

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
std::optional<double> number_in(const Json& json) {
  if (!json.is_string()) return std::nullopt;
  const auto& text = json.get_ref<const std::string&>();
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  return parse_number<double>(text);
}

std::optional<PrometheusSeries> series_in(const Json& json) {
  const Json& pair = member(json, "value");
  if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number()) return std::nullopt;
  const auto value = number_in(pair[1]);
  if (!value) return std::nullopt;
  PrometheusSeries series{.labels = {}, .time = pair[0].get<double>(), .value = *value};
  for (const auto& [label, text] : member(json, "metric").items()) {
    series.labels.emplace(label, text_in(text));
  }
  return series;
}

}  // namespace

const std::string& PrometheusSeries::label(std::string_view name) const {
  static const std::string none;
  const auto found = labels.find(name);
  return found == labels.end() ? none : found->second;
}

std::vector<PrometheusSeries> parse_instant_vector(std::string_view text, const std::string& name) {
  const auto refuse = [&](const std::string& problem) {
    throw name.empty() ? Error(ErrorKind::bad_input, problem)
                       : Error(ErrorKind::bad_input, name, 0, problem);
  };
  const Json answer = Json::parse(text, nullptr, false);
  if (answer.is_discarded()) refuse("the answer is no JSON, or was cut short");
  if (text_in(member(answer, "status")) != "success") {
    const std::string error = text_in(member(answer, "error"));
    refuse(error.empty() ? "the answer is none of Prometheus" : "it says: " + excerpt(error));
  }
  const Json& data = member(answer, "data");
  const Json& result = member(data, "result");
  if (text_in(member(data, "resultType")) != "vector" || !result.is_array()) {
    refuse(fmt::format("the query must yield an instant vector, this one yields {}",
                       excerpt(text_in(member(data, "resultType")))));
  }
  std::vector<PrometheusSeries> vector;
  vector.reserve(result.size());
  for (const Json& json : result) {
    auto series = series_in(json);
    if (!series) refuse(fmt::format("series {} of the answer has no value", vector.size() + 1));
    vector.push_back(std::move(*series));
  }
  return vector;
}

std::string_view host_of_target(std::string_view target) {
  if (target.starts_with('[')) {
    return target.substr(1, std::min(target.find(']'), target.size()) - 1);
  }
  const std::size_t colon = target.find(':');
  // More than one are of a bare IPv6 address.
  return colon == target.rfind(':') ? target.substr(0, colon) : target;
}

}  // namespace tofa
