// SPDX-License-Identifier: BSD-3-Clause
// What the health service knows, in the one form in which it is handed on. tofa-healthd writes this
// text to its snapshot file, tofa-pmix-gateway hands it out, tofa-query prints it, and whoever
// places a job parses it:
//
//     {"version": 1, "time": T, "period": SECONDS,
//      "hosts":   [{"host": H, "probability": P, "polled": T, "state": S, "rate": R,
//                    "within": [H, H, H], "excluded": EXCLUSION, "was": NAMES}, ...],
//      "outages": [{"host": H, "start": T, "end": T, "cause": C, "reason": TEXT}, ...],
//      "warnings": [TEXT, ...]}
//
// Times are in seconds since 1970 by the clock of the service's host, the period in seconds, rates
// in outages per hour. The state is "up" or "down"; or "planned" for a host that is out of service
// on purpose, or "unreachable" for one that is silent because the network is: both as far as is
// known up. "within", which only some methods of estimation have, is the cumulative hazard of the
// host, -log(1 - p), over an hour, a day and a week (tofa/outage.hpp). `time` is when the text was
// made: ages count back from it, so that the clock of whoever reads it does not matter. "warnings",
// for admins, is there when there are some. Text that lacks "rate" or "outages" is of an earlier
// version. "reason" is there where the cause is more than a word, and is then all of it, while
// "cause" has its first word, the source: readers of an earlier version take no more than that.
// Outage lists in JSON (tofa/outage.hpp) are read by the same reader.
//
// A host that an admin took out of use has "excluded", {"reason": TEXT, "by": USER, "since": T,
// "until": T}, the latter only where an end is set. Whatever it does is planned, and its
// probability is 1, so that readers of earlier versions keep jobs away from it, too. One that had
// other names has "was", [{"name": H, "until": T, "by": USER, "reason": TEXT}, ...]; its outages
// are those of all of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/outage.hpp"

namespace tofa {

enum class HostNote { none, planned, unreachable };

// A name that a host had, and who said so.
struct FormerName {
  std::string name;
  double until = 0;  // when that was said, in seconds since 1970
  std::string by;
  std::string reason;
  friend bool operator==(const FormerName&, const FormerName&) = default;
};

// What tofa-healthd makes of a host that Slurm may be told to drain.
struct HostDrain {
  std::string state;
  double since = 0;    // when it was drained, in seconds since 1970; 0: it is not
  std::string reason;  // in Slurm
  std::string why;     // for people
  friend bool operator==(const HostDrain&, const HostDrain&) = default;
};

struct SnapshotHost {
  std::string host;
  double probability = 0;  // in [0, 1]
  double polled = 0;       // when it was observed last, in seconds since 1970
  bool up = true;
  double rate = 0;  // outages per hour that it was seen up
  HostNote note = HostNote::none;
  std::optional<HazardsWithin> within = std::nullopt;
  std::optional<HostExclusion> excluded = std::nullopt;
  std::vector<FormerName> was = {};
  std::optional<HostDrain> drain = std::nullopt;
  friend bool operator==(const SnapshotHost&, const SnapshotHost&) = default;
};

// An outage that was or is, as the service remembers it.
struct PastOutage {
  std::string host;
  double start = 0;   // in seconds since 1970
  double end = 0;     // 0 while it lasts
  std::string cause;  // as in tofa/outage_cause.hpp: "heartbeat", "check gpu: no device"
  friend bool operator==(const PastOutage&, const PastOutage&) = default;
};

struct Snapshot {
  double time = 0;    // when it was made, in seconds since 1970
  double period = 0;  // seconds from one round of observations to the next
  std::vector<SnapshotHost> hosts;
  std::vector<PastOutage> outages;         // the latest, in the order in which they began
  std::vector<std::string> warnings = {};  // what is wrong with the service itself
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

// "up", "down", "planned" or "unreachable".
std::string_view state_of(const SnapshotHost& host);

std::string format_snapshot(const Snapshot& snapshot);

// Throws Error (bad_input), with `name` as the file's name, on anything but what format_snapshot
// writes or wrote in earlier versions. A text that is not wholly right is refused as a whole.
Snapshot parse_snapshot(std::string_view text, const std::string& name);

// The age of an estimate from the future: the clock of the service was wrong then or is now.
inline constexpr double kAgeUnknowable = 1e9;

// The estimates, in the order of the hosts; ages are whole seconds.
OutageList outages_of(const Snapshot& snapshot);

}  // namespace tofa
