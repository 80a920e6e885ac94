// SPDX-License-Identifier: BSD-3-Clause
// Drains told as people ask about them: for each host the rule that decides about it. Whether
// plan() follows the same rules, a property test says.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "healthd/drains.hpp"

namespace tofa::health {
namespace {

constexpr const char* kHeld =
    "nothing is drained or resumed while a part of the network is interrupted or the clock has "
    "jumped";

// People write reasons; what is shown of them is one line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, ' ');
  return text;
}

// Why a host that Slurm tells of is not for this service to drain.
std::string others_say(const SlurmNode& node) {
  if (!node.reason.empty()) {
    return fmt::format("Slurm has a reason for it{}: {}", node.by.empty() ? "" : " by " + node.by,
                       one_line(node.reason));
  }
  return "it is not in use in Slurm: drained, down, in maintenance or saving energy";
}

}  // namespace

const char* name_of(DrainState state) {
  switch (state) {
    case DrainState::to_drain:
      return "to-drain";
    case DrainState::drained:
      return "drained";
    case DrainState::to_resume:
      return "to-resume";
    case DrainState::limited:
      return "limited";
    case DrainState::held:
      return "held";
    case DrainState::others:
      return "others";
    case DrainState::none:
      break;
  }
  return "none";
}

void Drains::tell_drained(const DrainConfig& config, const DrainHost& host, const Drained& drained,
                          bool hold, DrainStanding& told) const {
  told.state = DrainState::drained;
  told.since = drained.since;
  told.reason = drained.reason;
  const double below = resume_threshold(config);
  if (config.mode == DrainMode::never) {
    told.why = "it is left so while drain = \"never\"";
  } else if (!host.node) {
    told.why = "Slurm does not tell of it";
  } else if (!is_drained_by(*host.node, drained.reason, drained.uid)) {
    const bool not_yet = !drained.confirmed && !host.node->has(SlurmFlag::drain);
    if (!not_yet) told.state = DrainState::others;
    told.why = not_yet ? "Slurm has not carried it out" : "others have decided about it since";
  } else if (!host.usable) {
    told.why = "it is down, or out of service on purpose";
  } else if (host.probability >= below) {
    told.why = fmt::format("its probability is not below {:.3g}", below);
  } else {
    told.state = hold ? DrainState::held : DrainState::to_resume;
    told.why = hold ? kHeld : fmt::format("its probability is below {:.3g}", below);
  }
}

std::vector<DrainStanding> Drains::standings(const DrainConfig& config,
                                             const std::vector<DrainHost>& hosts, bool hold,
                                             std::int64_t uid) const {
  std::vector<DrainStanding> all;
  std::vector<std::size_t> likely;
  std::size_t count = 0;
  for (const DrainHost& host : hosts) {
    DrainStanding& told = all.emplace_back(
        DrainStanding{.host = host.host, .probability = host.probability, .low = host.low});
    const auto drained = drained_.find(host.host);
    if (drained != drained_.end()) {
      ++count;
      tell_drained(config, host, drained->second, hold, told);
    } else if (config.mode == DrainMode::never) {
      told.why = "drain = \"never\"";
    } else if (is_late_drain(host, uid) && !overruled_.contains(host.host)) {
      ++count;
      told.state = DrainState::drained;
      told.reason = one_line(host.node->reason);
      told.why = "by an earlier order of this service";
    } else if (host.low <= config.above) {
      told.why = fmt::format("its probability is not surely above {:.3g}", config.above);
    } else if (overruled_.contains(host.host) &&
               (hold || !host.usable || host.probability >= resume_threshold(config))) {
      told.state = DrainState::others;
      told.why = fmt::format("others have decided about it, until its probability is below {:.3g}",
                             resume_threshold(config));
    } else if (!host.node || !may_be_drained(*host.node)) {
      told.state = DrainState::others;
      told.why = host.node ? others_say(*host.node) : "Slurm does not tell of it";
    } else if (!host.usable) {
      told.why = "it is down, or out of service on purpose";
    } else if (hold) {
      told.state = DrainState::held;
      told.why = kHeld;
    } else {
      likely.push_back(all.size() - 1);
    }
  }
  std::stable_sort(likely.begin(), likely.end(),
                   [&](std::size_t a, std::size_t b) { return all[a].low > all[b].low; });
  const std::size_t most = most_drained(config, hosts.size());
  for (const std::size_t host : likely) {
    const bool room = count < most;
    if (room) ++count;
    all[host].state = room ? DrainState::to_drain : DrainState::limited;
    all[host].why = room ? fmt::format("its probability is surely above {:.3g}", config.above)
                         : fmt::format("as many are drained as drain_at_most allows, {}", most);
  }
  return all;
}

void mark_drains(const DrainBoard& board, Snapshot& snapshot) {
  std::unordered_map<std::string_view, const DrainStanding*> told;
  for (const DrainStanding& standing : board.hosts) {
    if (standing.state != DrainState::none) told.emplace(standing.host, &standing);
  }
  if (told.empty()) return;
  for (SnapshotHost& host : snapshot.hosts) {
    const auto found = told.find(host.host);
    if (found == told.end()) continue;
    const DrainStanding& standing = *found->second;
    host.drain = {name_of(standing.state), standing.since, standing.reason, standing.why};
  }
}

namespace {

nlohmann::ordered_json drain_json(const DrainStanding& standing) {
  nlohmann::ordered_json json{{"host", standing.host},
                              {"state", name_of(standing.state)},
                              {"probability", standing.probability},
                              {"low", standing.low}};
  if (standing.since > 0) json["since"] = standing.since;
  if (!standing.reason.empty()) json["reason"] = standing.reason;
  json["why"] = standing.why;
  return json;
}

DrainStanding unknown_standing(const DrainBoard& board, const std::string& host) {
  return {.host = host,
          .why = board.config.mode == DrainMode::never ? "drain = \"never\""
                                                       : "Slurm has not been heard about it yet"};
}

}  // namespace

std::string format_drains(const DrainBoard& board, const std::vector<std::string>& asked) {
  nlohmann::ordered_json json{{"version", 1},
                              {"mode", name_of(board.config.mode)},
                              {"above", board.config.above},
                              {"resume_below", resume_threshold(board.config)},
                              {"horizon", board.config.horizon},
                              {"most", board.most},
                              {"asked", nullptr}};
  if (board.asked > 0) json["asked"] = board.asked;
  if (!board.trouble.empty()) json["trouble"] = board.trouble;
  json["hosts"] = nlohmann::ordered_json::array();
  std::unordered_map<std::string_view, const DrainStanding*> known;
  for (const DrainStanding& standing : board.hosts) {
    known.emplace(standing.host, &standing);
    if (asked.empty() && standing.state != DrainState::none) {
      json["hosts"].push_back(drain_json(standing));
    }
  }
  for (const std::string& host : asked) {
    const auto found = known.find(host);
    json["hosts"].push_back(
        drain_json(found == known.end() ? unknown_standing(board, host) : *found->second));
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tofa::health
