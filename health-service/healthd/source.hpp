// SPDX-License-Identifier: BSD-3-Clause
// Where tofa-healthd learns about hosts. Each source, such as heartbeats or Slurm's node states,
// has a verdict on each host; combine() makes one observation of what all of them say: a host is up
// only if no source says that it is down. A source that cannot tell does not count, so that one
// that fails takes nothing away from the others.
//
// A source is one file, which implements HealthSource and defines a `SourceKind` that reads a
// section of the configuration, and one line in the registry (source.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tofa {
class TomlSection;
}

namespace tofa::health {

struct HealthdConfig;

enum class Verdict {
  up,
  missed,   // did not answer this once; it is down after several of these in a row
  down,     // for certain
  planned,  // taken out of service on purpose: whatever it does now is no failure
  unknown,  // the source cannot tell
};

struct SourceReport {
  std::string_view source;        // its name, the cause of the outages that it notices
  std::vector<Verdict> verdicts;  // one per host, in the order of the configuration
  bool fresh = true;              // false: the same verdicts as before, nothing was observed since
  // Where the source can tell one boot of a host from another: what stays the same until the next,
  // also over restarts of this program, 0 where it does not know. One per host, or none.
  std::vector<std::uint64_t> boots = {};
  // The same from a source that tells when, in seconds since 1970.
  std::vector<double> booted = {};
  std::uint64_t rejected = 0;  // forged or repeated answers since the start
  bool pending = false;  // cannot tell yet, but soon: outages do not end before it had its say
  // What it says of a host that is down, as in tofa/outage_cause.hpp, where that is more than its
  // name.
  std::unordered_map<std::size_t, std::string> causes = {};
  std::string trouble = {};  // why it cannot tell, for the admin; empty: it can

  std::string_view cause_of(std::size_t host) const;
};

class HealthSource {
 public:
  virtual ~HealthSource() = default;
  // May take as long as a round of heartbeats. Nothing when `interrupt` became readable meanwhile.
  virtual std::optional<SourceReport> report(int interrupt) = 0;
};

// Makes a source for the hosts of a configuration; empty where the source is switched off.
using SourceMaker = std::function<std::unique_ptr<HealthSource>(const HealthdConfig&)>;

struct SourceKind {
  const char* section;  // of the configuration
  SourceMaker (*configure)(TomlSection& section, HealthdConfig& config);
};
std::span<const SourceKind* const> source_kinds();

// What all sources together say about a host at a time.
struct Observation {
  bool up = true;               // no source says otherwise
  bool seen = true;             // a source says that it is up
  bool certain = false;         // down without waiting for more misses
  bool tentative = false;       // up, but a source that might say otherwise is pending
  bool planned = false;         // out of service on purpose
  bool unreachable = false;     // not heard of, but because of the network (reachability.hpp)
  std::uint64_t boot = 0;       // 0: unknown
  double booted = 0;            // when it started, as another source says; 0: unknown
  std::string_view cause = {};  // of being down; belongs to the report of the source that says so
  friend bool operator==(const Observation&, const Observation&) = default;
};

// Nothing when no source has observed the host since the last time.
std::optional<Observation> combine(const std::vector<SourceReport>& reports, std::size_t host);

}  // namespace tofa::health
