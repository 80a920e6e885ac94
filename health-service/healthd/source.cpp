// SPDX-License-Identifier: BSD-3-Clause
// The registry of sources, and how their verdicts make one observation.
#include "healthd/source.hpp"

#include <array>

namespace tofa::health {

extern const SourceKind kHeartbeatSource, kSlurmSource, kFolderSource, kPrometheusSource;

// The order matters where two sources say that a host is down: the first is the cause.
std::span<const SourceKind* const> source_kinds() {
  static constexpr std::array kinds{&kHeartbeatSource, &kSlurmSource, &kFolderSource,
                                    &kPrometheusSource};
  return kinds;
}

std::string_view SourceReport::cause_of(std::size_t host) const {
  const auto found = causes.empty() ? causes.end() : causes.find(host);
  return found == causes.end() ? source : std::string_view(found->second);
}

std::optional<Observation> combine(const std::vector<SourceReport>& reports, std::size_t host) {
  Observation result{.seen = false};
  bool observed = false;
  for (const SourceReport& report : reports) {
    const Verdict verdict = report.verdicts[host];
    if (!report.boots.empty() && report.boots[host] != 0) result.boot = report.boots[host];
    if (!report.booted.empty() && report.booted[host] > 0) result.booted = report.booted[host];
    result.tentative = result.tentative || report.pending;
    if (verdict == Verdict::unknown) continue;
    observed = observed || report.fresh;
    result.seen = result.seen || verdict == Verdict::up;
    if (verdict == Verdict::planned) {
      result.planned = true;
      continue;
    }
    const bool certain = verdict == Verdict::down;
    if (verdict == Verdict::up || (!result.up && (result.certain || !certain))) continue;
    result.up = false;
    result.certain = certain;
    result.cause = report.cause_of(host);
  }
  if (!observed) return std::nullopt;
  return result;
}

}  // namespace tofa::health
