// SPDX-License-Identifier: BSD-3-Clause
// A host is found by either of the names it has here.
#include "healthd/prometheus_answer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "healthd/config.hpp"
#include "tofa/error.hpp"
#include "tofa/outage_cause.hpp"

namespace tofa::health {
namespace {

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::bad_input, problem);
}

}  // namespace

PrometheusOpinions::PrometheusOpinions(const std::vector<HostConfig>& hosts,
                                       const std::string& query, std::string label)
    : names_(names_of(hosts)), label_(std::move(label)), cause_(as_cause("prometheus " + query)) {
  for (std::uint32_t i = 0; i < hosts.size(); ++i) addresses_.emplace(hosts[i].address.host, i);
}

std::optional<std::uint32_t> PrometheusOpinions::find(std::string_view label) const {
  const std::string_view host = host_of_target(label);
  if (const auto named = names_.find(host)) return named;
  const auto found = addresses_.find(std::string(host));
  return found == addresses_.end() ? std::nullopt : std::optional(found->second);
}

Opinions PrometheusOpinions::judge(const std::vector<PrometheusSeries>& answer) const {
  Opinions opinions{.verdicts = std::vector<Verdict>(names_.names().size(), Verdict::unknown)};
  bool any = false;
  for (const PrometheusSeries& series : answer) {
    const auto host = find(series.label(label_));
    if (!host) continue;
    any = true;
    if (std::isnan(series.value) || opinions.verdicts[*host] == Verdict::missed) continue;
    opinions.verdicts[*host] = series.value == 0 ? Verdict::missed : Verdict::up;
    if (series.value == 0) opinions.causes[*host] = cause_;
  }
  if (!any) {
    refuse(
        fmt::format("none of the {} series it answers with is about a host of this service; "
                    "do [prometheus] query and label fit?",
                    answer.size()));
  }
  return opinions;
}

}  // namespace tofa::health
