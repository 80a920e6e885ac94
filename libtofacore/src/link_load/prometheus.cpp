// SPDX-License-Identifier: BSD-3-Clause
// What a Prometheus server answers to a query (GET /api/v1/query): a series for each link, or for
// each port of a host, with labels that name its ends.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "link_load/formats.hpp"
#include "tofa/error.hpp"
#include "tofa/prometheus_vector.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

std::string host_in(const PrometheusSeries& series, const std::string& label) {
  return std::string(host_of_target(series.label(label)));
}

class Answer {
 public:
  Answer(std::string_view text, const std::string& name, const LinkLoadRules& rules)
      : name_(name), rules_(rules), vector_(parse_instant_vector(text, name)) {}

  // Calls `use` with the ends and the value of each series that has one. Throws Error (unavailable)
  // where none has, or where they are old.
  template <typename Use>
  void each(double now, std::size_t& ahead, const Use& use) const {
    double newest = -std::numeric_limits<double>::infinity();
    std::size_t number = 0;
    std::size_t late = 0;
    for (const PrometheusSeries& series : vector_) {
      ++number;
      if (std::isnan(series.value)) continue;
      if (is_ahead(series.time, rules_, now)) {
        ++late;
        continue;
      }
      std::string from = host_in(series, rules_.from_label);
      std::string to = host_in(series, rules_.to_label);
      if (from.empty()) {
        refuse(
            fmt::format("series {} of the answer has no label {}; does [link_load] from_label fit?",
                        number, rules_.from_label));
      }
      if (to.empty()) to = "*";
      if (rules_.incoming.value_or(false)) std::swap(from, to);
      newest = std::max(newest, series.time);
      use(std::move(from), std::move(to), series.value, number);
    }
    const bool none = newest == -std::numeric_limits<double>::infinity();
    if (none && late > 0) refuse_all_ahead(name_, late);
    if (none) {
      throw Error(ErrorKind::unavailable, name_, 0,
                  "has no value; does the query fit, and are its targets up?");
    }
    refuse_old_load(newest, name_, rules_, now);
    ahead += late;
  }

  [[noreturn]] void refuse(const std::string& problem) const {
    throw Error(ErrorKind::bad_input, name_, 0, problem);
  }

 private:
  const std::string& name_;
  const LinkLoadRules& rules_;
  std::vector<PrometheusSeries> vector_;
};

LinkLoadList parse_answer(std::string_view text, const std::string& name,
                          const LinkLoadRules& rules, double now, std::size_t& ahead) {
  const Answer answer(text, name, rules);
  LinkLoadList load;
  answer.each(now, ahead, [&](std::string from, std::string to, double value, std::size_t number) {
    if (!is_load(value * rules.scale)) {
      answer.refuse(fmt::format("series {} of the answer is {} and no number of bytes per second",
                                number, value));
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
                const LinkLoadRules& rules, double now, std::size_t& ahead) {
  const Answer answer(require_text(stalls, name), name, rules);
  answer.each(now, ahead, [&](std::string from, std::string to, double value, std::size_t number) {
    if (!(value >= 0 && value <= kMostPercent))
      answer.refuse(fmt::format("series {} of the answer is {} and no percentage", number, value));
    load.push_back(
        {.from = std::move(from), .to = std::move(to), .stalled = std::min(value, 100.0) / 100});
  });
}

extern constexpr LinkLoadFormat kPrometheusLoadFormat{"prometheus", looks_like_json, parse_answer};

}  // namespace tofa
