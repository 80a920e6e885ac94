// SPDX-License-Identifier: BSD-3-Clause
// A state is a word and flags behind it. Slurm prints one flag at most, so that for instance a
// drained node that does not respond is "drained*".
#include "healthd/slurm_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tofa/error.hpp"
#include "tofa/outage_cause.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr std::string_view kFlags = "*~#!%$@^+-";
// Power saving, a reservation for maintenance, and a reboot that somebody has asked for; but "@", a
// reboot as soon as the node is idle, has not begun.
constexpr std::string_view kOnPurpose = "~#!%$^";

constexpr std::array<std::string_view, 4> kFailed = {"down", "fail", "failing", "error"};
// Unlike drained nodes, which need not respond either.
constexpr std::array<std::string_view, 7> kInUse = {"idle",     "allocated", "mixed",  "completing",
                                                    "reserved", "planned",   "unknown"};
constexpr std::array<std::string_view, 9> kOutOfService = {
    "drained",     "draining",     "maint",      "reboot_issued", "powering_down",
    "powering_up", "powered_down", "power_down", "power_up"};

// Seconds from the boot of a node to the start of its slurmd.
constexpr double kLongestStart = 900;

bool is_state(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

bool contains(const auto& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The length of the word in front of the flags.
std::size_t word_size(std::string_view state) {
  return std::min(state.find_first_of(kFlags), state.size());
}

}  // namespace

NodeHealth judge_state(std::string_view state) {
  const std::string_view word = state.substr(0, word_size(state));
  const std::string_view flags = state.substr(word.size());
  if (flags.find_first_of(kOnPurpose) != std::string_view::npos) return NodeHealth::planned;
  const bool responds = flags.find('*') == std::string_view::npos;
  if (contains(kFailed, word)) return responds ? NodeHealth::failed : NodeHealth::lost;
  if (contains(kOutOfService, word)) return NodeHealth::planned;
  if (!contains(kInUse, word)) return NodeHealth::no_opinion;
  if (!responds) return NodeHealth::silent;
  return word == "unknown" ? NodeHealth::no_opinion : NodeHealth::well;
}

NodeHealth judge_node(const SlurmNode& node) {
  for (const SlurmFlag flag : {SlurmFlag::maint, SlurmFlag::rebooting, SlurmFlag::power}) {
    if (node.has(flag)) return NodeHealth::planned;
  }
  // One that was drained because it may fail has to show whether it does.
  if (node.has(SlurmFlag::drain) && !node.reason.starts_with(kOurReason)) {
    return NodeHealth::planned;
  }
  const bool responds = !node.has(SlurmFlag::silent);
  if (node.has(SlurmFlag::fail) || node.state == SlurmState::down ||
      node.state == SlurmState::error) {
    return responds ? NodeHealth::failed : NodeHealth::lost;
  }
  if (node.has(SlurmFlag::invalid) || node.state == SlurmState::future) {
    return NodeHealth::no_opinion;
  }
  if (!responds) return NodeHealth::silent;
  return node.state == SlurmState::unknown ? NodeHealth::no_opinion : NodeHealth::well;
}

std::vector<NodeState> parse_node_states(std::string_view text) {
  std::vector<NodeState> states;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line;
    const std::string_view name = next_word(rest);
    if (name.empty()) continue;
    const std::string_view state = next_word(rest);
    const std::size_t size = word_size(state);
    if (!is_host_name(name) || !is_state(state.substr(0, size)) ||
        state.find_first_not_of(kFlags, size) != std::string_view::npos || !trim(rest).empty()) {
      throw Error(ErrorKind::bad_input, fmt::format("line {}: {} is no node and its state",
                                                    lines.number(), excerpt(line)));
    }
    states.push_back({std::string(name), judge_state(state)});
  }
  return states;
}

std::vector<NodeState> node_states(const std::vector<SlurmNode>& nodes) {
  std::vector<NodeState> states;
  states.reserve(nodes.size());
  for (const SlurmNode& node : nodes) {
    NodeState state{
        .name = node.name, .health = judge_node(node), .boot = node.boot, .started = node.started};
    if (!node.reason.empty()) {
      const std::string who = node.by.empty() ? "" : fmt::format(" by {}", node.by);
      state.cause = as_cause(fmt::format("slurm{}: {}", who, node.reason));
    } else if (node.has(SlurmFlag::silent)) {
      state.cause = "slurm: it does not respond";
    }
    states.push_back(std::move(state));
  }
  return states;
}

SlurmOpinions::SlurmOpinions(const std::vector<std::string>& hosts)
    : hosts_(hosts),
      silent_(hosts.size(), false),
      booted_(hosts.size(), 0),
      started_(hosts.size(), 0) {}

Opinions SlurmOpinions::judge(const std::vector<NodeState>& states) {
  Opinions opinions{.verdicts = std::vector<Verdict>(silent_.size(), Verdict::unknown)};
  std::vector<bool> known(silent_.size(), false);
  std::vector<bool> silent(silent_.size(), false);
  for (const NodeState& state : states) {
    const auto host = hosts_.find(state.name);
    if (!host) continue;
    known[*host] = true;
    watch_boot(*host, state);
    silent[*host] = state.health == NodeHealth::silent;
    Verdict& verdict = opinions.verdicts[*host];
    if (state.health == NodeHealth::failed) {
      verdict = Verdict::down;
    } else if (state.health == NodeHealth::lost || (silent[*host] && silent_[*host])) {
      verdict = Verdict::missed;
    } else if (state.health == NodeHealth::planned) {
      verdict = Verdict::planned;
    } else {
      verdict = state.health == NodeHealth::well ? Verdict::up : Verdict::unknown;
    }
    const bool out = verdict == Verdict::down || verdict == Verdict::missed;
    if (out && !state.cause.empty()) opinions.causes[*host] = state.cause;
  }
  opinions.booted = booted_;
  silent_ = std::move(silent);
  known_ = static_cast<std::size_t>(std::count(known.begin(), known.end(), true));
  return opinions;
}

void SlurmOpinions::watch_boot(std::size_t host, const NodeState& state) {
  if (state.boot <= 0 || state.started <= 0 || state.started == started_[host]) return;
  const bool known = started_[host] > 0;
  started_[host] = state.started;
  if (known && state.started - state.boot > kLongestStart) return;
  // Where slurmctld's clock was set since, only the second is certain.
  booted_[host] = std::min(state.boot, state.started);
}

}  // namespace tofa::health
