// SPDX-License-Identifier: BSD-3-Clause
// Reasons are written by anybody who may drain a node, so that what is not UTF-8 is replaced when a
// line is written.
#include "common/slurm_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/host_index.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

using NodeJson = nlohmann::ordered_json;

constexpr double kLatestNodeTime = 1e11;
constexpr std::int64_t kLargestUid = UINT32_MAX;

constexpr std::array<const char*, 7> kStateWords{"unknown", "down",  "idle",  "allocated",
                                                 "error",   "mixed", "future"};

constexpr std::array<std::pair<SlurmFlag, const char*>, 7> kFlagWords{{
    {SlurmFlag::drain, "drain"},
    {SlurmFlag::silent, "silent"},
    {SlurmFlag::fail, "fail"},
    {SlurmFlag::maint, "maint"},
    {SlurmFlag::rebooting, "rebooting"},
    {SlurmFlag::power, "power"},
    {SlurmFlag::invalid, "invalid"},
}};

struct TimeKey {
  const char* key;
  double SlurmNode::*time;
};
constexpr std::array<TimeKey, 4> kTimeKeys{{
    {"since", &SlurmNode::since},
    {"boot", &SlurmNode::boot},
    {"started", &SlurmNode::started},
    {"busy", &SlurmNode::busy},
}};

class NodeLine {
 public:
  NodeLine(std::string_view line, std::size_t number) : line_(line), number_(number) {
    json_ = nlohmann::json::parse(line, nullptr, false);
    if (!json_.is_object()) refuse();
  }

  SlurmNode read() {
    SlurmNode node;
    for (const auto& [key, value] : json_.items()) take(node, key, value);
    if (node.name.empty() || !has_state_) refuse();
    return node;
  }

 private:
  void take(SlurmNode& node, const std::string& key, const nlohmann::json& value) {
    if (key == "node") {
      node.name = text(value);
      if (!is_host_name(node.name)) refuse();
    } else if (key == "state") {
      node.state = state(text(value));
      has_state_ = true;
    } else if (key == "flags") {
      if (!value.is_array()) refuse();
      for (const auto& flag : value) node.flags |= flag_bit(text(flag));
    } else if (key == "reason") {
      node.reason = text(value);
    } else if (key == "by") {
      node.by = text(value);
    } else if (key == "uid") {
      node.uid = uid(value);
    } else {
      node.*time_of(key) = time(value);
    }
  }

  SlurmState state(const std::string& word) const {
    const auto* const found = std::find(kStateWords.begin(), kStateWords.end(), word);
    if (found == kStateWords.end()) refuse();
    return static_cast<SlurmState>(found - kStateWords.begin());
  }

  unsigned flag_bit(const std::string& word) const {
    for (const auto& [flag, known] : kFlagWords) {
      if (word == known) return static_cast<unsigned>(flag);
    }
    refuse();
  }

  double SlurmNode::*time_of(const std::string& key) const {
    for (const TimeKey& known : kTimeKeys) {
      if (key == known.key) return known.time;
    }
    refuse();
  }

  std::string text(const nlohmann::json& value) const {
    if (!value.is_string()) refuse();
    return value.get<std::string>();
  }

  double time(const nlohmann::json& value) const {
    const double time = value.is_number() ? value.get<double>() : -1;
    if (!(time > 0 && time <= kLatestNodeTime)) refuse();
    return time;
  }

  std::int64_t uid(const nlohmann::json& value) const {
    if (!value.is_number_integer() || value < 0 || value > kLargestUid) refuse();
    return value.get<std::int64_t>();
  }

  [[noreturn]] void refuse() const {
    throw Error(ErrorKind::bad_input,
                fmt::format("line {}: {} is no node; are tofa-slurm-nodes and tofa-healthd of one "
                            "version?",
                            number_, excerpt(line_)));
  }

  std::string_view line_;
  std::size_t number_;
  nlohmann::json json_;
  bool has_state_ = false;
};

}  // namespace

bool may_be_drained(const SlurmNode& node) {
  const bool in_use = node.state == SlurmState::idle || node.state == SlurmState::allocated ||
                      node.state == SlurmState::mixed;
  return in_use && node.flags == 0 && node.reason.empty();
}

bool is_drained_by(const SlurmNode& node, std::string_view reason, std::int64_t uid) {
  return node.has(SlurmFlag::drain) && node.reason == reason && node.uid == uid;
}

std::string format_slurm_node(const SlurmNode& node) {
  NodeJson json{{"node", node.name},
                {"state", kStateWords.at(static_cast<std::size_t>(node.state))},
                {"flags", NodeJson::array()}};
  for (const auto& [flag, word] : kFlagWords) {
    if (node.has(flag)) json["flags"].push_back(word);
  }
  if (!node.reason.empty()) json["reason"] = node.reason;
  if (node.uid >= 0) json["uid"] = node.uid;
  if (!node.by.empty()) json["by"] = node.by;
  for (const auto& [key, time] : kTimeKeys) {
    if (node.*time > 0) json[key] = node.*time;
  }
  return json.dump(-1, ' ', false, NodeJson::error_handler_t::replace) + "\n";
}

std::vector<SlurmNode> parse_slurm_nodes(std::string_view text) {
  std::vector<SlurmNode> nodes;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    nodes.push_back(NodeLine(line, lines.number()).read());
  }
  return nodes;
}

}  // namespace tofa::health
