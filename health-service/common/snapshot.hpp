// SPDX-License-Identifier: BSD-3-Clause
// What tofa-healthd knows after a round of heartbeats, as the file that tofa-pmix-gateway answers
// from. The file is JSON and never changes: each round replaces it as a whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tofa::health {

struct SnapshotHost {
  std::string host;
  double probability = 0;  // in [0, 1]
  double polled = 0;       // when the last heartbeat was sent, in seconds since 1970
  bool up = true;
  double rate = 0;  // outages per hour that it was seen up
  friend bool operator==(const SnapshotHost&, const SnapshotHost&) = default;
};

struct SnapshotOutage {
  std::string host;
  double start = 0;  // in seconds since 1970
  double end = 0;    // 0 while it lasts
  std::string cause;
  friend bool operator==(const SnapshotOutage&, const SnapshotOutage&) = default;
};

struct Snapshot {
  double time = 0;    // when the round ended, in seconds since 1970
  double period = 0;  // seconds from one round to the next
  std::vector<SnapshotHost> hosts;
  std::vector<SnapshotOutage> outages;  // the latest, in the order in which they began
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

std::string format_snapshot(const Snapshot& snapshot);

// Throws tofa::Error, with `name` as the file's name, on anything but what format_snapshot writes.
Snapshot parse_snapshot(std::string_view text, const std::string& name);
Snapshot read_snapshot(const std::string& path);

// Atomically: a temporary file, then a rename. Throws tofa::Error.
void write_snapshot(const Snapshot& snapshot, const std::string& path);

}  // namespace tofa::health
