// SPDX-License-Identifier: BSD-3-Clause
// Snapshots and the answers of the service, which are the same text. An answer came over a network:
// like a file, it is refused as a whole unless all of it is what tofa-healthd writes.
#include "tofa/health_snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "outage/health_document.hpp"
#include "tofa/error.hpp"
#include "tofa/health_query.hpp"
#include "tofa/host_index.hpp"
#include "tofa/outage_cause.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr int kSnapshotVersion = 1;
constexpr std::size_t kRoomPerHost = 128;  // in the text, roughly

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::bad_input, problem);
}

double required(std::optional<double> value, std::string_view key) {
  if (!value) refuse(fmt::format("\"{}\" is missing", key));
  return *value;
}

std::optional<HostNote> note_of(std::string_view state) {
  if (state == "up" || state == "down") return HostNote::none;
  if (state == "planned") return HostNote::planned;
  if (state == "unreachable") return HostNote::unreachable;
  return std::nullopt;
}

SnapshotHost snapshot_host(HealthDocument::Host&& host) {
  if (!is_host_name(host.host)) {
    refuse(fmt::format("the host name {} is malformed", excerpt(host.host)));
  }
  if (!host.polled) refuse(fmt::format("\"polled\" of {} is missing", host.host));
  const auto note = note_of(host.state.value_or(""));
  if (!note) {
    refuse(fmt::format("the state of {} is not up, down, planned or unreachable", host.host));
  }
  return {std::move(host.host), host.probability,         *host.polled,
          host.state != "down", host.rate.value_or(0),    *note,
          host.within,          std::move(host.excluded), std::move(host.was),
          std::move(host.drain)};
}

Snapshot read_strictly(std::string_view text) {
  HealthDocument document = parse_health_document(text, "");
  Snapshot snapshot;
  snapshot.time = required(document.time, "time");
  snapshot.period = required(document.period, "period");
  snapshot.hosts.reserve(document.hosts.size());
  for (HealthDocument::Host& host : document.hosts) {
    snapshot.hosts.push_back(snapshot_host(std::move(host)));
  }
  for (const PastOutage& outage : document.outages) {
    if (is_host_name(outage.host) && is_cause(outage.cause)) continue;
    refuse("the host or the cause of an outage is malformed");
  }
  snapshot.outages = std::move(document.outages);
  snapshot.warnings = std::move(document.warnings);
  return snapshot;
}

std::string json_text(const std::string& text) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;  // what is not UTF-8
  return is_host_name(text) ? fmt::format("\"{}\"", text)
                            : nlohmann::json(text).dump(-1, ' ', false, replace);
}

// The first word of a cause.
std::string source_in(std::string_view cause) {
  const auto is_part = [](char c) { return is_host_name({&c, 1}); };
  const auto* const end = std::find_if_not(cause.begin(), cause.end(), is_part);
  return end == cause.begin() ? "other" : std::string(cause.begin(), end);
}

// The shortest digits that read back the same, with a point, as other writers of JSON do it.
std::string json_number(double value) {
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

std::string format_exclusion(const HostExclusion& exclusion) {
  std::string text =
      fmt::format(R"(,"excluded":{{"reason":{},"by":{},"since":{})", json_text(exclusion.reason),
                  json_text(exclusion.by), json_number(exclusion.since));
  if (exclusion.until > 0) text += fmt::format(R"(,"until":{})", json_number(exclusion.until));
  return text + "}";
}

std::string format_drain(const HostDrain& drain) {
  std::string text = fmt::format(R"(,"drain":{{"state":{})", json_text(drain.state));
  if (drain.since > 0) text += fmt::format(R"(,"since":{})", json_number(drain.since));
  if (!drain.reason.empty()) text += fmt::format(R"(,"reason":{})", json_text(drain.reason));
  return text + fmt::format(R"(,"why":{}}})", json_text(drain.why));
}

std::string format_names(const std::vector<FormerName>& names) {
  std::string text = R"(,"was":[)";
  std::string_view comma;
  for (const FormerName& former : names) {
    text += fmt::format(R"({}{{"name":{},"until":{},"by":{},"reason":{}}})",
                        std::exchange(comma, ","), json_text(former.name),
                        json_number(former.until), json_text(former.by), json_text(former.reason));
  }
  return text + "]";
}

}  // namespace

std::string_view state_of(const SnapshotHost& host) {
  if (!host.up) return "down";
  if (host.note == HostNote::planned) return "planned";
  return host.note == HostNote::unreachable ? "unreachable" : "up";
}

// Written piece by piece: a tree of JSON values would take several times as long, every second.
std::string format_snapshot(const Snapshot& snapshot) {
  std::string text;
  text.reserve(kRoomPerHost * (snapshot.hosts.size() + snapshot.outages.size() + 1));
  const auto out = std::back_inserter(text);
  fmt::format_to(out, R"({{"version":{},"time":{},"period":{},"hosts":[)", kSnapshotVersion,
                 json_number(snapshot.time), json_number(snapshot.period));
  std::string_view comma;
  for (const SnapshotHost& host : snapshot.hosts) {
    fmt::format_to(out, R"({}{{"host":{},"probability":{},"polled":{},"state":"{}","rate":{})",
                   std::exchange(comma, ","), json_text(host.host), json_number(host.probability),
                   json_number(host.polled), state_of(host), json_number(host.rate));
    if (host.within) {
      fmt::format_to(out, R"(,"within":[{},{},{}])", json_number((*host.within)[0]),
                     json_number((*host.within)[1]), json_number((*host.within)[2]));
    }
    if (host.excluded) text += format_exclusion(*host.excluded);
    if (!host.was.empty()) text += format_names(host.was);
    if (host.drain) text += format_drain(*host.drain);
    text += '}';
  }
  text += R"(],"outages":[)";
  comma = {};
  for (const PastOutage& outage : snapshot.outages) {
    fmt::format_to(out, R"({}{{"host":{},"start":{},"end":{},"cause":{})",
                   std::exchange(comma, ","), json_text(outage.host), json_number(outage.start),
                   json_number(outage.end), json_text(source_in(outage.cause)));
    if (!is_host_name(outage.cause))
      fmt::format_to(out, R"(,"reason":{})", json_text(outage.cause));
    text += '}';
  }
  text += "]";
  if (!snapshot.warnings.empty()) text += R"(,"warnings":[)";
  comma = {};
  for (const std::string& warning : snapshot.warnings) {
    fmt::format_to(out, "{}{}", std::exchange(comma, ","), json_text(warning));
  }
  if (!snapshot.warnings.empty()) text += "]";
  return text + "}\n";
}

Snapshot parse_snapshot(std::string_view text, const std::string& name) {
  try {
    return read_strictly(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_input, name, 0,
                fmt::format("is no snapshot of tofa-healthd: {}; remove it, the next round of "
                            "heartbeats writes a new one",
                            error.what()));
  }
}

Snapshot parse_health_answer(std::string_view text) {
  try {
    return read_strictly(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::unavailable, error.what());
  }
}

OutageList outages_of(const Snapshot& snapshot) {
  OutageList outages;
  outages.reserve(snapshot.hosts.size());
  for (const SnapshotHost& host : snapshot.hosts) {
    outages.push_back({host.host, host.probability, age_at(snapshot.time, host.polled), host.rate,
                       std::string(state_of(host)), host.within, host.excluded});
  }
  return outages;
}

}  // namespace tofa
