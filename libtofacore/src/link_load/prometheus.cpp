// SPDX-License-Identifier: BSD-3-Clause
// What a Prometheus server answers to a query (GET /api/v1/query): a series for each link, or for
// each port of a host, with labels that name its ends. An address without its port is a host.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "link_load/formats.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

using Json = nlohmann::json;

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

// The member of an object, or null.
const Json& member(const Json& json, const std::string& key) {
  static const Json null;
  if (!json.is_object()) return null;
  const auto found = json.find(key);
  return found == json.end() ? null : *found;
}

std::string text_in(const Json& json) {
  return json.is_string() ? json.get<std::string>() : "";
}

// `n1:9100` is n1.
std::string host_in(const Json& labels, const std::string& label) {
  std::string host = text_in(member(labels, label));
  const std::size_t colon = host.find(':');
  if (colon != std::string::npos && colon == host.rfind(':')) host.resize(colon);
  return host;
}

struct Value {
  double time;
  double value;
};

// Prometheus writes values as text, among them NaN, which says nothing.
std::optional<Value> value_in(const Json& pair) {
  if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_string())
    return std::nullopt;
  const auto value = parse_number<double>(pair[1].get_ref<const std::string&>());
  if (!value) return std::nullopt;
  return Value{pair[0].get<double>(), *value};
}

class Answer {
 public:
  Answer(std::string_view text, const std::string& name, const LinkLoadRules& rules)
      : name_(name), rules_(rules), answer_(Json::parse(text, nullptr, false)) {
    if (answer_.is_discarded()) refuse("is no JSON, or was cut short");
    if (text_in(member(answer_, "status")) != "success") {
      const std::string error = text_in(member(answer_, "error"));
      refuse(error.empty() ? "is no answer of Prometheus" : "says: " + excerpt(error));
    }
    const Json& data = member(answer_, "data");
    if (text_in(member(data, "resultType")) != "vector" || !member(data, "result").is_array()) {
      refuse(fmt::format("the query must yield an instant vector, this one yields {}",
                         excerpt(text_in(member(data, "resultType")))));
    }
  }

  // Calls `use` with the ends and the value of each series that has one. Throws Error (unavailable)
  // where none has, or where they are old.
  template <typename Use>
  void each(double now, const Use& use) const {
    double newest = -std::numeric_limits<double>::infinity();
    std::size_t number = 0;
    for (const Json& series : member(member(answer_, "data"), "result")) {
      ++number;
      const auto value = value_in(member(series, "value"));
      if (!value) refuse(fmt::format("series {} of it has no value", number));
      if (std::isnan(value->value)) continue;
      std::string from = host_in(member(series, "metric"), rules_.from_label);
      std::string to = host_in(member(series, "metric"), rules_.to_label);
      if (from.empty()) {
        refuse(fmt::format("series {} of it has no label {}; does [link_load] from_label fit?",
                           number, rules_.from_label));
      }
      if (to.empty()) to = "*";
      if (rules_.incoming.value_or(false)) std::swap(from, to);
      newest = std::max(newest, value->time);
      use(std::move(from), std::move(to), value->value, number);
    }
    if (newest == -std::numeric_limits<double>::infinity()) {
      throw Error(ErrorKind::unavailable, name_, 0,
                  "has no value; does the query fit, and are its targets up?");
    }
    refuse_old_load(newest, name_, rules_, now);
  }

  [[noreturn]] void refuse(const std::string& problem) const {
    throw Error(ErrorKind::bad_input, name_, 0, problem);
  }

 private:
  const std::string& name_;
  const LinkLoadRules& rules_;
  Json answer_;
};

LinkLoadList parse_answer(std::string_view text, const std::string& name,
                          const LinkLoadRules& rules, double now) {
  const Answer answer(text, name, rules);
  LinkLoadList load;
  answer.each(now, [&](std::string from, std::string to, double value, std::size_t number) {
    if (!is_load(value * rules.scale)) {
      answer.refuse(
          fmt::format("series {} of it is {} and no number of bytes per second", number, value));
    }
    if (load.size() >= kMostLinkSamples)
      answer.refuse(fmt::format("more than {} series", kMostLinkSamples));
    load.push_back(
        {.from = std::move(from), .to = std::move(to), .bytes_per_second = value * rules.scale});
  });
  return load;
}

}  // namespace

void add_stalls(LinkLoadList& load, std::string_view stalls, const std::string& name,
                const LinkLoadRules& rules, double now) {
  const Answer answer(require_text(stalls, name), name, rules);
  answer.each(now, [&](std::string from, std::string to, double value, std::size_t number) {
    if (!(value >= 0 && value <= 100))
      answer.refuse(fmt::format("series {} of it is {} and no percentage", number, value));
    load.push_back({.from = std::move(from), .to = std::move(to), .stalled = value / 100});
  });
}

extern constexpr LinkLoadFormat kPrometheusLoadFormat{"prometheus", looks_like_json, parse_answer};

}  // namespace tofa
