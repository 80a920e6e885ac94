// SPDX-License-Identifier: BSD-3-Clause
// A node whose drain Slurm has not confirmed counts as drained, so that the limit holds whatever
// becomes of it.
#include "healthd/drains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/toml_section.hpp"

namespace tofa::health {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kLongestHorizon = 30 * 86'400;

constexpr std::array<std::pair<const char*, DrainMode>, 3> kDrainModes{{
    {"never", DrainMode::never},
    {"show", DrainMode::show},
    {"do", DrainMode::act},
}};

std::string reason_for(const DrainConfig& config, const DrainHost& host) {
  return fmt::format("{}outage within {:.3g} h, probability at least {:.2g}", kOurReason,
                     config.horizon / kSecondsPerHour, host.low);
}

}  // namespace

double resume_threshold(const DrainConfig& config) {
  return config.resume_below < 0 ? config.above / 2 : config.resume_below;
}

bool is_late_drain(const DrainHost& host, std::int64_t uid) {
  return uid >= 0 && host.node && host.node->reason.starts_with(kOurReason) &&
         is_drained_by(*host.node, host.node->reason, uid);
}

const char* name_of(DrainMode mode) {
  return std::find_if(kDrainModes.begin(), kDrainModes.end(),
                      [mode](const auto& known) { return known.second == mode; })
      ->first;
}

DrainConfig read_drain_config(TomlSection& section) {
  DrainConfig config;
  std::string word = kDrainModes.front().first;
  section.text("drain", word);
  const auto* const mode = std::find_if(kDrainModes.begin(), kDrainModes.end(),
                                        [&](const auto& known) { return word == known.first; });
  if (mode == kDrainModes.end()) section.fail("drain", "\"never\", \"show\" or \"do\" is expected");
  config.mode = mode->second;
  section.number("drain_above", 0.001, 1, config.above);
  section.number("drain_horizon", 60, kLongestHorizon, config.horizon);
  section.number("drain_at_most", 1e-5, 100'000, config.at_most);
  section.number("resume_below", 0, 1, config.resume_below);
  if (config.resume_below > config.above) {
    section.fail("resume_below", "must not be above drain_above");
  }
  return config;
}

std::size_t most_drained(const DrainConfig& config, std::size_t hosts) {
  const double most =
      config.at_most < 1 ? config.at_most * static_cast<double>(hosts) : config.at_most;
  constexpr double rounding = 1e-9;  // 0.29 of 100 is 28.999...
  return static_cast<std::size_t>(std::floor(most + rounding));
}

void Drains::apply(const Change& change, bool now) {
  if (change.kind == ChangeKind::drain) {
    drained_[change.host] = {change.reason, change.uid, change.time, !now};
    overruled_.erase(change.host);
  } else if (change.kind == ChangeKind::resume) {
    drained_.erase(change.host);
  } else if (change.kind == ChangeKind::release) {
    drained_.erase(change.host);
    overruled_.insert(change.host);
  } else if (change.kind == ChangeKind::merge) {
    // What has been decided about the new name since is newer.
    if (auto old = drained_.extract(change.host)) {
      old.key() = change.into;
      if (!overruled_.contains(change.into)) drained_.insert(std::move(old));
    }
    if (overruled_.erase(change.host) > 0 && !drained_.contains(change.into)) {
      overruled_.insert(change.into);
    }
  }
}

std::optional<DrainAction> Drains::review(const DrainConfig& config, const DrainHost& host,
                                          const Drained& drained, bool hold) {
  if (!host.node) return std::nullopt;  // Slurm may know it again
  DrainAction action{ChangeKind::resume, host.host, host.node->name, drained.reason};
  if (!is_drained_by(*host.node, drained.reason, drained.uid)) {
    action.only_noted = !drained.confirmed && !host.node->has(SlurmFlag::drain);
    if (!action.only_noted) action.kind = ChangeKind::release;
    return action;
  }
  drained_[host.host].confirmed = true;
  const bool well = host.usable && host.probability < resume_threshold(config);
  return well && !hold ? std::optional(action) : std::nullopt;
}

std::vector<DrainAction> Drains::plan(const DrainConfig& config,
                                      const std::vector<DrainHost>& hosts, bool hold,
                                      std::int64_t uid) {
  if (config.mode == DrainMode::never) return {};
  std::vector<DrainAction> actions;
  std::vector<const DrainHost*> likely;
  std::size_t count = 0;
  for (const DrainHost& host : hosts) {
    const auto drained = drained_.find(host.host);
    if (drained != drained_.end()) {
      ++count;
      auto action = review(config, host, drained->second, hold);
      if (action) actions.push_back(std::move(*action));
      continue;
    }
    if (is_late_drain(host, uid)) {
      // One that was given up is not taken back while others keep it.
      if (overruled_.contains(host.host)) continue;
      actions.push_back({ChangeKind::drain, host.host, host.node->name, host.node->reason, true});
      ++count;
      continue;
    }
    if (!hold && host.usable && host.probability < resume_threshold(config)) {
      overruled_.erase(host.host);
    }
    const bool may = !hold && host.usable && host.node && may_be_drained(*host.node) &&
                     !overruled_.contains(host.host);
    if (may && host.low > config.above) likely.push_back(&host);
  }
  std::stable_sort(likely.begin(), likely.end(),
                   [](const DrainHost* a, const DrainHost* b) { return a->low > b->low; });
  const std::size_t most = most_drained(config, hosts.size());
  for (const DrainHost* host : likely) {
    if (count >= most) break;
    actions.push_back({ChangeKind::drain, host->host, host->node->name, reason_for(config, *host)});
    ++count;
  }
  return actions;
}

}  // namespace tofa::health
