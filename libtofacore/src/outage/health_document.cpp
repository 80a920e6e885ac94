// SPDX-License-Identifier: BSD-3-Clause
// Reads the JSON entry by entry: types and ranges are checked here, and every message names the
// entry. Keys that nobody knows are left alone, so that later versions may add some.
#include "outage/health_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "tofa/error.hpp"
#include "tofa/host_index.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

using Json = nlohmann::json;

constexpr const char* kTime = "a time in seconds";
// By how much a clock may be set back without making everything stale.
constexpr double kClockSlack = 10;

class DocumentParser {
 public:
  explicit DocumentParser(const std::string& name) : name_(name) {}

  HealthDocument parse(std::string_view text) {
    const Json json = parse_json(text);
    const auto version = json.find("version");
    if (version == json.end() || !version->is_number_integer() || *version != 1) {
      fail("\"version\" must be 1");
    }
    document_.time = number_from_0(json, "time", "the text", kTime);
    document_.period = number_from_0(json, "period", "the text", kTime);
    // An outage list calls them nodes.
    const char* key = json.contains("hosts") && !json.contains("nodes") ? "hosts" : "nodes";
    const auto hosts = json.find(key);
    if (hosts == json.end() || !hosts->is_array())
      fail(fmt::format("\"{}\" must be an array", key));
    for (const Json& host : *hosts) add_host(host, key);
    add_outages(json);
    add_warnings(json);
    return std::move(document_);
  }

 private:
  [[noreturn]] void fail(const std::string& message, std::size_t line = 0) const {
    if (!name_.empty()) throw Error(ErrorKind::bad_input, name_, line, message);
    throw Error(ErrorKind::bad_input,
                line == 0 ? message : fmt::format("line {}: {}", line, message));
  }

  Json parse_json(std::string_view text) const {
    try {
      return Json::parse(text);
    } catch (const Json::parse_error& error) {
      const auto end = text.begin() + std::min(error.byte, text.size());
      const auto line = 1 + std::count(text.begin(), end, '\n');
      fail("malformed JSON; was it cut short?", static_cast<std::size_t>(line));
    } catch (const Json::out_of_range&) {
      fail("malformed JSON: a number is too large");
    }
  }

  void add_host(const Json& json, const char* list) {
    const std::string where = fmt::format("entry {} of \"{}\"", document_.hosts.size() + 1, list);
    HealthDocument::Host host;
    host.host = text_of(json, "host", where);
    if (host.host.empty()) fail(where + " has no \"host\"");
    const auto probability = json.find("probability");
    if (probability == json.end() || !probability->is_number()) {
      fail(where + " has no number \"probability\"");
    }
    host.probability = probability->get<double>();
    if (!(host.probability >= 0 && host.probability <= 1)) {
      fail(fmt::format("outage probability {} of host {} is outside 0 to 1", host.probability,
                       excerpt(host.host)));
    }
    host.age = number_from_0(json, "age", where, kTime);
    host.polled = number_from_0(json, "polled", where, kTime);
    host.rate = number_from_0(json, "rate", where, "a number of outages per hour");
    host.within = hazards_of(json, where);
    host.excluded = exclusion_of(json, where);
    host.was = former_names_of(json, where);
    host.drain = drain_of(json, where);
    const auto state = json.find("state");
    if (state != json.end() && state->is_string()) host.state = state->get<std::string>();
    const auto [first, added] = seen_.try_emplace(host.host, document_.hosts.size() + 1);
    if (!added) {
      fail(fmt::format("host {} is listed twice, in entries {} and {} of \"{}\"",
                       excerpt(host.host), first->second, document_.hosts.size() + 1, list));
    }
    document_.hosts.push_back(std::move(host));
  }

  void add_outages(const Json& json) {
    const auto outages = json.find("outages");
    if (outages == json.end()) return;
    if (!outages->is_array()) fail("\"outages\" must be an array");
    for (const Json& entry : *outages) {
      const std::string where =
          fmt::format("entry {} of \"outages\"", document_.outages.size() + 1);
      PastOutage outage;
      outage.host = text_of(entry, "host", where);
      outage.cause = text_of(entry, entry.contains("reason") ? "reason" : "cause", where);
      const auto start = number_from_0(entry, "start", where, kTime);
      if (!start) fail(where + " has no \"start\"");
      outage.start = *start;
      outage.end = number_from_0(entry, "end", where, kTime).value_or(0);
      document_.outages.push_back(std::move(outage));
    }
  }

  void add_warnings(const Json& json) {
    const auto warnings = json.find("warnings");
    if (warnings == json.end()) return;
    if (!warnings->is_array()) fail("\"warnings\" must be an array");
    for (const Json& warning : *warnings) {
      if (!warning.is_string()) fail("\"warnings\" has an entry that is no text");
      document_.warnings.push_back(warning.get<std::string>());
    }
  }

  // The text that every entry must have under `key`.
  std::string text_of(const Json& entry, const char* key, const std::string& where) const {
    if (!entry.is_object()) fail(where + " is not an object");
    const auto value = entry.find(key);
    if (value == entry.end() || !value->is_string()) {
      fail(fmt::format("{} has no \"{}\"", where, key));
    }
    return value->get<std::string>();
  }

  void refuse_control_characters(const std::string& text, const std::string& what) const {
    for (const char c : text) {
      if ((c >= 0 && c < ' ') || c == '\x7f') fail(what + " has control characters");
    }
  }

  // Empty when there is no such key.
  std::vector<FormerName> former_names_of(const Json& json, const std::string& where) const {
    const auto list = json.find("was");
    if (list == json.end() || list->is_null()) return {};
    const std::string what = fmt::format("\"was\" of {}", where);
    if (!list->is_array()) fail(what + " is not an array");
    std::vector<FormerName> names;
    for (const Json& entry : *list) {
      FormerName& former = names.emplace_back();
      former.name = text_of(entry, "name", what);
      former.by = text_of(entry, "by", what);
      former.reason = text_of(entry, "reason", what);
      former.until = number_from_0(entry, "until", what, kTime).value_or(0);
      refuse_control_characters(former.name + former.by + former.reason, what);
    }
    return names;
  }

  // Nothing when there is no such key. Both texts are shown to people as they are.
  std::optional<HostExclusion> exclusion_of(const Json& json, const std::string& where) const {
    const auto value = json.find("excluded");
    if (value == json.end() || value->is_null()) return std::nullopt;
    const std::string what = fmt::format("\"excluded\" of {}", where);
    HostExclusion exclusion;
    exclusion.reason = text_of(*value, "reason", what);
    exclusion.by = text_of(*value, "by", what);
    refuse_control_characters(exclusion.reason + exclusion.by, what);
    exclusion.since = number_from_0(*value, "since", what, kTime).value_or(0);
    exclusion.until = number_from_0(*value, "until", what, kTime).value_or(0);
    return exclusion;
  }

  // Nothing when there is no such key. States are words; later versions may have more.
  std::optional<HostDrain> drain_of(const Json& json, const std::string& where) const {
    const auto value = json.find("drain");
    if (value == json.end() || value->is_null()) return std::nullopt;
    const std::string what = fmt::format("\"drain\" of {}", where);
    HostDrain drain;
    drain.state = text_of(*value, "state", what);
    if (!is_host_name(drain.state)) fail(what + " has a \"state\" that is no word");
    drain.since = number_from_0(*value, "since", what, kTime).value_or(0);
    if (value->contains("reason")) drain.reason = text_of(*value, "reason", what);
    drain.why = text_of(*value, "why", what);
    refuse_control_characters(drain.reason + drain.why, what);
    return drain;
  }

  // Nothing when there is no such key.
  std::optional<HazardsWithin> hazards_of(const Json& json, const std::string& where) const {
    const auto list = json.find("within");
    if (list == json.end() || list->is_null()) return std::nullopt;
    HazardsWithin hazards{};
    bool good = list->is_array() && list->size() == hazards.size();
    for (std::size_t i = 0; good && i < hazards.size(); ++i) {
      const Json& value = (*list)[i];
      good = value.is_number() && value.get<double>() >= (i > 0 ? hazards[i - 1] : 0) &&
             std::isfinite(value.get<double>());
      if (good) hazards[i] = value.get<double>();
    }
    if (!good) {
      fail(
          fmt::format("{} has a \"within\" that is not {} hazards, from 0 and none less than the "
                      "one before",
                      where, hazards.size()));
    }
    return hazards;
  }

  // Nothing when there is no such key.
  std::optional<double> number_from_0(const Json& json, const char* key, const std::string& where,
                                      const char* what) const {
    const auto value = json.find(key);
    if (value == json.end() || value->is_null()) return std::nullopt;
    if (!value->is_number() || !(value->get<double>() >= 0)) {
      fail(fmt::format("{} has a \"{}\" that is not {} from 0", where, key, what));
    }
    return value->get<double>();
  }

  const std::string& name_;
  HealthDocument document_;
  std::unordered_map<std::string, std::size_t> seen_;
};

}  // namespace

HealthDocument parse_health_document(std::string_view text, const std::string& name) {
  return DocumentParser(name).parse(text);
}

double age_at(double time, double polled) {
  const double age = std::floor(time) - std::floor(polled);
  return age < -kClockSlack ? kAgeUnknowable : std::max(0.0, age);
}

}  // namespace tofa
