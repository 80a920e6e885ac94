// SPDX-License-Identifier: BSD-3-Clause
// A round is what differs from the one before it; the oldest differs from `first_`.
#include "healthd/held_rounds.hpp"

#include <algorithm>
#include <utility>

namespace tofa::health {

HeldRounds::Kept HeldRounds::kept(const std::optional<Observation>& observation) {
  if (!observation) return {};
  Kept kept{observation, std::string(observation->cause)};
  kept.observation->cause = {};
  return kept;
}

void HeldRounds::add(const ObservedRound& round, double time) {
  if (rounds_.empty()) {
    first_.assign(round.size(), {});
    last_ = first_;
    changes_ = dropped_ = 0;
  }
  Changes changes{time, {}};
  for (std::size_t host = 0; host < round.size(); ++host) {
    Kept now = kept(round[host]);
    if (now == last_[host]) continue;
    last_[host] = now;
    changes.hosts.push_back({host, std::move(now)});
  }
  changes_ += changes.hosts.size();
  rounds_.push_back(std::move(changes));
  while (rounds_.size() > 1 &&
         (rounds_.size() * first_.size() > most_observations_ || changes_ > most_changes_)) {
    drop_oldest();
  }
}

void HeldRounds::drop_oldest() {
  ++dropped_;
  changes_ -= rounds_.front().hosts.size();
  for (Change& change : rounds_.front().hosts) first_[change.host] = std::move(change.now);
  rounds_.pop_front();
}

HeldRounds::Round HeldRounds::take() {
  Round round{rounds_.front().time, {}};
  const std::size_t dropped = dropped_;
  drop_oldest();
  dropped_ = dropped;
  for (const Kept& host : first_) {
    round.hosts.push_back(host.observation);
    if (round.hosts.back()) round.hosts.back()->cause = host.cause;
  }
  return round;
}

void HeldRounds::take_over(const std::vector<std::optional<std::size_t>>& before) {
  constexpr std::size_t gone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> now(first_.size(), gone);
  std::vector<Kept> first(before.size());
  std::vector<Kept> last(before.size());
  for (std::size_t host = 0; host < before.size(); ++host) {
    if (!before[host] || *before[host] >= now.size()) continue;
    now[*before[host]] = host;
    first[host] = std::move(first_[*before[host]]);
    last[host] = std::move(last_[*before[host]]);
  }
  first_ = std::move(first);
  last_ = std::move(last);
  changes_ = 0;
  for (Changes& round : rounds_) {
    std::erase_if(round.hosts, [&](const Change& change) { return now[change.host] == gone; });
    for (Change& change : round.hosts) change.host = now[change.host];
    changes_ += round.hosts.size();
  }
}

}  // namespace tofa::health
