// SPDX-License-Identifier: BSD-3-Clause
// Days are what shows that two hosts were up at once: a host is up for a day at most.
#include "healthd/earlier_host.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

// What a clock that was set may add to a day.
constexpr double kClockSlack = 900;

[[noreturn]] void refuse_merge(const std::string& why) {
  throw Error(ErrorKind::unmet, why + "; nothing was changed");
}

}  // namespace

HostState earlier_host(const StoreContents& saved, const std::string& name) {
  HostState earlier;
  earlier.record.name = name;
  const auto record = std::find_if(saved.hosts.begin(), saved.hosts.end(),
                                   [&](const HostRecord& host) { return host.name == name; });
  bool known = record != saved.hosts.end();
  if (known) earlier.record = *record;
  for (const HostDay& day : saved.days) {
    if (day.host == name) earlier.days.push_back(day.day);
  }
  for (const StoredOutage& outage : saved.outages) {
    if (outage.host != name) continue;
    known = true;
    if (!outage.end) refuse_merge(fmt::format("an outage of {} lasts", name));
  }
  if (known || !earlier.days.empty()) return earlier;
  std::vector<std::string> names;
  for (const HostRecord& host : saved.hosts) names.push_back(host.name);
  refuse_merge(
      fmt::format("nothing is recorded of {}{}", excerpt(name), did_you_mean(name, names)));
}

void refuse_two_at_once(const HostState& earlier, const HostState& host) {
  for (const Day& day : earlier.days) {
    for (const Day& other : host.days) {
      if (other.day != day.day || day.up_seconds + other.up_seconds <= kDay + kClockSlack) continue;
      refuse_merge(
          fmt::format("{} and {} were both up on {:%Y-%m-%d}, so they are two hosts",
                      earlier.record.name, host.record.name,
                      fmt::gmtime(static_cast<std::time_t>(static_cast<double>(day.day) * kDay))));
    }
  }
}

// As it was saved, or from its days where that was by another method.
void add_evidence(Estimator& estimator, const HostState& earlier, const EstimatorOptions& method) {
  const auto before = make_estimator(method);
  try {
    if (earlier.record.method != method.method) throw Error(ErrorKind::unmet, "another method");
    before->restore(earlier.record.estimate);
  } catch (const Error&) {
    before->learn(watched_days(earlier.days));
  }
  if (before->evidence() == nullptr) return;
  HostEvidence evidence = *before->evidence();
  // It was down when its name was given up: nobody knows until when.
  if (evidence.out()) evidence.recover(earlier.record.since);
  estimator.add_earlier(evidence);
}

HostState merged(const HostState& host, const HostState& earlier, const EstimatorOptions& method) {
  const auto estimator = make_estimator(method);
  estimator->restore(host.record.estimate);
  add_evidence(*estimator, earlier, method);
  HostState both{host.record, {}};
  both.record.misses += earlier.record.misses;
  both.record.estimate = estimator->save();
  Exposure exposure;
  for (const Day& day : host.days) exposure.restore(day);
  for (const Day& day : earlier.days) both.days.push_back(exposure.add(day));
  return both;
}

}  // namespace tofa::health
