// SPDX-License-Identifier: BSD-3-Clause
// Snapshots as JSON, read strictly: a file that is not wholly right is refused as a whole.
#include "common/snapshot.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "common/protocol.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"

namespace tofa::health {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

double require_time(double value, const char* key) {
  if (!std::isfinite(value) || value < 0) {
    throw Error(ErrorKind::bad_input, fmt::format("\"{}\" is not a time from 0", key));
  }
  return value;
}

SnapshotHost parse_host(const Json& json) {
  SnapshotHost host;
  host.host = json.at("host").get<std::string>();
  if (!valid_host_name(host.host)) throw Error(ErrorKind::bad_input, "a host name is malformed");
  host.probability = json.at("probability").get<double>();
  if (!(host.probability >= 0 && host.probability <= 1)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("the probability of {} is outside [0,1]", host.host));
  }
  host.polled = require_time(json.at("polled").get<double>(), "polled");
  const auto state = json.at("state").get<std::string>();
  if (state != "up" && state != "down") {
    throw Error(ErrorKind::bad_input,
                fmt::format("the state of {} is neither up nor down", host.host));
  }
  host.up = state == "up";
  host.rate = json.value("rate", 0.0);
  if (!std::isfinite(host.rate) || host.rate < 0) {
    throw Error(ErrorKind::bad_input, fmt::format("the rate of {} is negative", host.host));
  }
  return host;
}

SnapshotOutage parse_outage(const Json& json) {
  SnapshotOutage outage;
  outage.host = json.at("host").get<std::string>();
  outage.cause = json.at("cause").get<std::string>();
  if (!valid_host_name(outage.host) || !valid_host_name(outage.cause)) {
    throw Error(ErrorKind::bad_input, "the host or the cause of an outage is malformed");
  }
  outage.start = require_time(json.at("start").get<double>(), "start");
  outage.end = require_time(json.at("end").get<double>(), "end");
  return outage;
}

Snapshot parse_document(const Json& json) {
  if (json.at("version").get<int>() != kVersion) {
    throw Error(ErrorKind::bad_input, fmt::format("version {} is expected", kVersion));
  }
  Snapshot snapshot;
  snapshot.time = require_time(json.at("time").get<double>(), "time");
  snapshot.period = require_time(json.at("period").get<double>(), "period");
  std::unordered_set<std::string> seen;
  for (const Json& entry : json.at("hosts")) {
    snapshot.hosts.push_back(parse_host(entry));
    if (!seen.insert(snapshot.hosts.back().host).second) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("host {} is listed twice", snapshot.hosts.back().host));
    }
  }
  for (const Json& entry : json.value("outages", Json::array())) {
    snapshot.outages.push_back(parse_outage(entry));
  }
  return snapshot;
}

}  // namespace

std::string format_snapshot(const Snapshot& snapshot) {
  Json hosts = Json::array();
  for (const SnapshotHost& host : snapshot.hosts) {
    hosts.push_back({{"host", host.host},
                     {"probability", host.probability},
                     {"polled", host.polled},
                     {"state", host.up ? "up" : "down"},
                     {"rate", host.rate}});
  }
  Json outages = Json::array();
  for (const SnapshotOutage& outage : snapshot.outages) {
    outages.push_back({{"host", outage.host},
                       {"start", outage.start},
                       {"end", outage.end},
                       {"cause", outage.cause}});
  }
  const Json document = {{"version", kVersion},
                         {"time", snapshot.time},
                         {"period", snapshot.period},
                         {"hosts", std::move(hosts)},
                         {"outages", std::move(outages)}};
  return document.dump() + '\n';
}

Snapshot parse_snapshot(std::string_view text, const std::string& name) {
  std::string problem;
  try {
    return parse_document(Json::parse(text));
  } catch (const Json::exception& error) {
    problem = error.what();
  } catch (const Error& error) {
    problem = error.what();
  }
  throw Error(ErrorKind::bad_input, name, 0,
              fmt::format("is no snapshot of tofa-healthd: {}; remove it, the next round of "
                          "heartbeats writes a new one",
                          problem));
}

Snapshot read_snapshot(const std::string& path) {
  return parse_snapshot(read_file(path), path);
}

void write_snapshot(const Snapshot& snapshot, const std::string& path) {
  write_file_atomically(path, format_snapshot(snapshot));
}

}  // namespace tofa::health
