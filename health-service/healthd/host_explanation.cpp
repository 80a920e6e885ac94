// SPDX-License-Identifier: BSD-3-Clause
// Why a host has its probability: what its estimator says, and what its state, an admin or the rate
// of its outages make of that. Everybody who places a job works with the same numbers.
#include "healthd/host_explanation.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tofa/outage.hpp"

namespace tofa::health {
namespace {

using ExplanationJson = nlohmann::ordered_json;

constexpr double kHourSeconds = 3600;

// What methods that only know of the present leave to the rate of outages.
void add_rate(ExplainedEstimate& why, const SnapshotHost& host, double horizon_seconds) {
  if (host.probability != why.probability) {
    why.numbers.push_back({"now", host.probability, "since less than `floor` counts as 0"});
    why.formula.clear();
  }
  why.numbers.push_back({"rate", host.rate, "outages per hour that it was up"});
  why.numbers.push_back({"hours", horizon_seconds / kHourSeconds, "that are asked about"});
  why.formula +=
      fmt::format("{}p = 1 - (1 - now) x exp(-rate x hours)", why.formula.empty() ? "" : "; ");
  why.probability = probability_within(
      {.host = host.host, .probability = host.probability, .rate = host.rate}, horizon_seconds);
  if (why.probability == 0) why.formula += fmt::format(", and below {} it is 0", kHorizonFloor);
}

}  // namespace

std::optional<HostExplanation> Fleet::explain(std::size_t index, double now,
                                              double horizon_seconds) const {
  const Host& host = hosts_[index];
  if (host.polled == 0) return std::nullopt;
  HostExplanation explanation{
      snapshot_of(index, now), host.host_class, host.record.method, host.record.since,
      host.estimator->explain({rates_, host.host_class, now, horizon_seconds})};
  if (!host.record.up) {
    explanation.why.probability = 1;
    explanation.why.formula = "p = 1, because it is down";
  } else if (host.estimator->evidence() == nullptr) {
    add_rate(explanation.why, explanation.host, horizon_seconds);
  }
  return explanation;
}

std::string explain_host(const HostExplanation& explained, const HostExclusion* excluded,
                         const History& history, double horizon_seconds) {
  const SnapshotHost& host = explained.host;
  ExplanationJson json{{"version", 1},
                       {"host", host.host},
                       {"class", explained.host_class},
                       {"state", state_of(host)},
                       {"since", explained.since},
                       {"polled", host.polled},
                       {"horizon", horizon_seconds},
                       {"probability", excluded != nullptr ? 1 : explained.why.probability},
                       {"method", explained.method}};
  json["formula"] = excluded != nullptr ? "p = 1, because it is excluded" : explained.why.formula;
  json["numbers"] = ExplanationJson::array();
  for (const ExplainedNumber& number : explained.why.numbers) {
    json["numbers"].push_back(
        {{"name", number.name}, {"value", number.value}, {"text", number.text}});
  }
  if (excluded != nullptr) {
    json["excluded"] = {{"reason", excluded->reason},
                        {"by", excluded->by},
                        {"since", excluded->since},
                        {"until", nullptr}};
    if (excluded->until > 0) json["excluded"]["until"] = excluded->until;
  }
  json["outages"] = ExplanationJson::array();
  for (const PastOutage& outage : history.latest()) {
    if (outage.host != host.host) continue;
    ExplanationJson entry{{"start", outage.start}, {"end", nullptr}, {"cause", outage.cause}};
    if (outage.end > 0) entry["end"] = outage.end;
    json["outages"].push_back(std::move(entry));
  }
  return json.dump(-1, ' ', false, ExplanationJson::error_handler_t::replace) + "\n";
}

}  // namespace tofa::health
