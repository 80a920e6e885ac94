// SPDX-License-Identifier: BSD-3-Clause
// One line of `kHostGauges` per metric of a host. prometheus-cpp writes the text, so that names of
// hosts are quoted as Prometheus reads them.
#include "web/metrics.hpp"

#include <fmt/format.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "tofa/outage.hpp"

namespace tofa::health {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

constexpr double kHour = 3600;  // seconds

struct HostGauge {
  const char* name;
  const char* help;
  double (*value)(const SnapshotHost& host);
};

constexpr std::array kHostGauges{
    HostGauge{"tofa_host_up", "Whether the host is up as far as is known",
              [](const SnapshotHost& host) { return host.up ? 1.0 : 0.0; }},
    HostGauge{"tofa_host_excluded", "Whether an admin took the host out of use",
              [](const SnapshotHost& host) { return host.excluded ? 1.0 : 0.0; }},
    HostGauge{"tofa_host_outage_rate_per_second", "Outages per second that the host is up",
              [](const SnapshotHost& host) { return host.rate / kHour; }},
    HostGauge{"tofa_host_observed_timestamp_seconds", "When the host was observed last",
              [](const SnapshotHost& host) { return host.polled; }},
};

constexpr std::array<double, 4> kHorizons = {0, 3600, 86'400, 604'800};  // seconds

constexpr std::array<const char*, 4> kStates = {"up", "down", "planned", "unreachable"};

MetricFamily gauges(const char* name, const char* help) {
  return {name, help, prometheus::MetricType::Gauge, {}};
}

void add(MetricFamily& family, std::vector<ClientMetric::Label> labels, double value) {
  ClientMetric& metric = family.metric.emplace_back();
  metric.label = std::move(labels);
  metric.gauge.value = value;
}

MetricFamily single(const char* name, const char* help, double value) {
  MetricFamily family = gauges(name, help);
  add(family, {}, value);
  return family;
}

MetricFamily hosts_by_state(const Snapshot& snapshot) {
  MetricFamily family = gauges("tofa_hosts", "Hosts that are watched, by state");
  for (const char* state : kStates) {
    double count = 0;
    for (const SnapshotHost& host : snapshot.hosts) count += state_of(host) == state ? 1 : 0;
    add(family, {{"state", state}}, count);
  }
  return family;
}

MetricFamily probabilities(const Snapshot& snapshot, const OutageList& outages) {
  MetricFamily family =
      gauges("tofa_host_outage_probability",
             "How likely the host fails within a time; within 0 s, whether a job on it fails now");
  for (std::size_t i = 0; i < outages.size(); ++i) {
    for (const double horizon : kHorizons) {
      add(family,
          {{"host", snapshot.hosts[i].host}, {"horizon_seconds", fmt::format("{}", horizon)}},
          probability_within(outages[i], horizon));
    }
  }
  return family;
}

// Of hosts that an admin took out of use only.
void add_exclusions(std::vector<MetricFamily>& families, const Snapshot& snapshot) {
  MetricFamily info =
      gauges("tofa_host_exclusion_info", "Who excluded the host, and why, as labels");
  MetricFamily since = gauges("tofa_host_exclusion_start_timestamp_seconds", "Since when");
  MetricFamily until =
      gauges("tofa_host_exclusion_end_timestamp_seconds", "Until when, where that is known");
  for (const SnapshotHost& host : snapshot.hosts) {
    if (!host.excluded) continue;
    add(info, {{"host", host.host}, {"by", host.excluded->by}, {"reason", host.excluded->reason}},
        1);
    add(since, {{"host", host.host}}, host.excluded->since);
    if (host.excluded->until > 0) add(until, {{"host", host.host}}, host.excluded->until);
  }
  for (MetricFamily& family : {std::ref(info), std::ref(since), std::ref(until)}) {
    if (!family.metric.empty()) families.push_back(std::move(family));
  }
}

constexpr std::array<const char*, 6> kDrainStates = {"to-drain", "drained", "to-resume",
                                                     "limited",  "held",    "others"};

// Counts of all, and of each host about which there is something to say.
void add_drains(std::vector<MetricFamily>& families, const Snapshot& snapshot) {
  MetricFamily counts =
      gauges("tofa_drains",
             "Hosts that are drained in Slurm, that are or would be next, and that are not");
  for (const char* state : kDrainStates) {
    double count = 0;
    for (const SnapshotHost& host : snapshot.hosts) {
      count += host.drain && host.drain->state == state ? 1 : 0;
    }
    add(counts, {{"state", state}}, count);
  }
  MetricFamily info =
      gauges("tofa_host_drain_info", "What becomes of the host, and why, as labels");
  MetricFamily since =
      gauges("tofa_host_drain_start_timestamp_seconds", "Since when it is drained in Slurm");
  for (const SnapshotHost& host : snapshot.hosts) {
    if (!host.drain) continue;
    add(info, {{"host", host.host}, {"state", host.drain->state}, {"why", host.drain->why}}, 1);
    if (host.drain->since > 0) add(since, {{"host", host.host}}, host.drain->since);
  }
  families.push_back(std::move(counts));
  for (MetricFamily& family : {std::ref(info), std::ref(since)}) {
    if (!family.metric.empty()) families.push_back(std::move(family));
  }
}

}  // namespace

std::string metrics_text(const Snapshot* snapshot) {
  std::vector<MetricFamily> families;
  families.push_back(gauges("tofa_build_info", "The version of TOFA, as a label"));
  add(families.back(), {{"version", TOFA_VERSION}}, 1);
  families.push_back(single("tofa_snapshot_readable",
                            "Whether there is a snapshot of tofa-healthd that can be read",
                            snapshot == nullptr ? 0 : 1));
  if (snapshot != nullptr) {
    families.push_back(single("tofa_snapshot_timestamp_seconds",
                              "When tofa-healthd wrote the snapshot", snapshot->time));
    families.push_back(single("tofa_poll_period_seconds",
                              "From one round of observations to the next", snapshot->period));
    families.push_back(hosts_by_state(*snapshot));
    families.push_back(probabilities(*snapshot, outages_of(*snapshot)));
    add_exclusions(families, *snapshot);
    add_drains(families, *snapshot);
    for (const HostGauge& gauge : kHostGauges) {
      families.push_back(gauges(gauge.name, gauge.help));
      for (const SnapshotHost& host : snapshot->hosts) {
        add(families.back(), {{"host", host.host}}, gauge.value(host));
      }
    }
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace tofa::health
