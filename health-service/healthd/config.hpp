// SPDX-License-Identifier: BSD-3-Clause
// The configuration of tofa-healthd, a TOML file; tofa-healthd.toml(5) describes every key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/address.hpp"
#include "healthd/drain_config.hpp"
#include "healthd/reachability.hpp"
#include "healthd/source.hpp"
#include "tofa/estimator.hpp"

namespace tofa::health {

struct HostConfig {
  std::string name;
  HostPort address;
  std::string host_class = {};  // of nodes that are built alike; may be empty
};

// The local socket for admins' commands.
struct ControlConfig {
  std::string socket;  // empty: none
  std::string group;   // whose members may use it, too; empty: nobody else
  friend bool operator==(const ControlConfig&, const ControlConfig&) = default;
};

struct HealthdConfig {
  double period = 1;          // seconds from one round to the next
  double timeout = 0.5;       // seconds until a heartbeat counts as missed
  std::string heartbeat_key;  // file; empty: answers are not signed
  std::vector<SourceMaker> sources;
  EstimatorOptions estimator;
  double floor = 1e-3;      // lower estimates are reported as 0, so that a node recovers
  unsigned down_after = 3;  // consecutive misses until a node counts as down
  unsigned rate_days = 30;  // over how many days outages are counted for a host's rate
  NetworkConfig network;
  std::string database = "/var/lib/tofa/health.db";
  std::string snapshot = "/run/tofa/snapshot.json";
  double save = 10;            // seconds between saves of changed estimates
  unsigned history_days = 90;  // for how long past outages are kept
  ControlConfig control;
  DrainConfig drain;
  std::vector<HostConfig> hosts;
};

std::vector<std::string> names_of(const std::vector<HostConfig>& hosts);

// Both throw tofa::Error (bad_input) with file and line; so does a file that cannot be read.
HealthdConfig parse_config(std::string_view text, const std::string& name);
HealthdConfig read_config(const std::string& path);

}  // namespace tofa::health
