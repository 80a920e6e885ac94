// SPDX-License-Identifier: BSD-3-Clause
// Each round first moves the hosts from state to state, then looks for events among those that fell
// silent, and ends events that are over; only then are the observations changed.
#include "healthd/reachability.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "tofa/outage_cause.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kFewestOfFleet = 3;
constexpr std::size_t kFewestOfSwitch = 2;

}  // namespace

Reachability::Reachability(NetworkConfig config, unsigned down_after, SwitchOfHost switches,
                           const std::vector<bool>& up)
    : config_(std::move(config)), down_after_(down_after), switches_(std::move(switches)) {
  switches_.resize(up.size());
  begin_with(up);
}

void Reachability::begin_with(const std::vector<bool>& up) {
  events_.clear();
  hosts_.assign(up.size(), Host());
  for (std::size_t i = 0; i < up.size(); ++i) {
    if (up[i]) hosts_[i].state = State::answers;
  }
}

std::vector<NetworkEvent> Reachability::judge(std::vector<std::optional<Observation>>& round,
                                              double time) {
  std::vector<NetworkEvent> told;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (round[i]) take(hosts_[i], *round[i]);
  }
  find_events(time, told);
  // Where nobody looked, no time passes in which others could have fallen silent.
  const bool looked = std::any_of(round.begin(), round.end(), [](const auto& observation) {
    return observation && !observation->planned;
  });
  settle(time, looked, told);
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (!round[i] || round[i]->up || round[i]->certain) continue;
    if (hosts_[i].state == State::unreachable) {
      round[i]->unreachable = true;
      if (was_given_up(hosts_[i])) {
        round[i]->certain = true;
        round[i]->cause = kNetworkCause;
      }
    }
    if (hosts_[i].state == State::silent && hosts_[i].rounds >= down_after_) {
      hosts_[i].state = State::failed;
    }
  }
  return told;
}

void Reachability::take(Host& host, const Observation& observation) {
  // Nothing has to say that a host is up for no source to say that it is not.
  if (observation.planned && !(observation.up && observation.seen)) {
    return leave(host, State::planned);
  }
  if (observation.up) return leave(host, State::answers);
  if (observation.certain) return leave(host, State::failed);
  if (host.state == State::answers || host.state == State::planned) {
    host.state = State::silent;
    host.rounds = 0;
  }
  if (host.state == State::silent) ++host.rounds;
}

// An event is over once hosts answer, and not because somebody took them out of service.
void Reachability::leave(Host& host, State state) {
  if (host.state == State::unreachable) {
    NetworkEvent& event = events_[host.event];
    --event.silent;
    if (state != State::answers) --event.hosts;
  }
  host.state = state;
}

bool Reachability::was_given_up(const Host& host) const {
  return host.state == State::unreachable && events_[host.event].given_up;
}

void Reachability::Group::add(State state) {
  if (state == State::failed || state == State::left_behind || state == State::planned) return;
  ++up;
  fresh += state == State::silent ? 1 : 0;
  quiet += state == State::silent || state == State::unreachable ? 1 : 0;
}

void Reachability::find_events(double time, std::vector<NetworkEvent>& told) {
  std::unordered_map<std::uint32_t, Group> behind;
  // Those that count as down make no host that fails alone an event of its switch.
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (switches_[i] && !was_given_up(hosts_[i])) behind[*switches_[i]].add(hosts_[i].state);
  }
  for (const auto& [id, group] : behind) {
    if (group.fresh > 0 && group.up >= kFewestOfSwitch && group.quiet == group.up) {
      begin(id, time, told);
    }
  }
  Group fleet;
  for (const Host& host : hosts_) fleet.add(host.state);
  const auto many =
      static_cast<std::size_t>(std::ceil(config_.share * static_cast<double>(fleet.up)));
  // What falls silent a round later belongs to the same event.
  const bool joins = std::any_of(events_.begin(), events_.end(), [&](const NetworkEvent& event) {
    return !event.over && !event.given_up && !event.behind && event.rounds <= down_after_;
  });
  if (fleet.fresh > 0 && (joins || fleet.fresh >= std::max(kFewestOfFleet, many))) {
    begin(std::nullopt, time, told);
  }
}

void Reachability::begin(const std::optional<std::uint32_t>& behind, double time,
                         std::vector<NetworkEvent>& told) {
  // Who falls silent after an event was given up has `patience` before it like all others.
  auto event = std::find_if(events_.begin(), events_.end(), [&](const NetworkEvent& known) {
    return !known.over && !known.given_up && known.behind == behind;
  });
  const bool is_new = event == events_.end();
  if (is_new) {
    event = std::find_if(events_.begin(), events_.end(),
                         [](const NetworkEvent& known) { return known.over; });
    if (event == events_.end()) event = events_.emplace(events_.end());
    *event = {.behind = behind, .begun = time};
  }
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (hosts_[i].state != State::silent || (behind && switches_[i] != behind)) continue;
    hosts_[i].state = State::unreachable;
    hosts_[i].event = static_cast<std::size_t>(event - events_.begin());
    ++event->hosts;
    ++event->silent;
  }
  if (is_new) told.push_back(*event);
}

void Reachability::settle(double time, bool looked, std::vector<NetworkEvent>& told) {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    NetworkEvent& event = events_[i];
    if (event.over) continue;
    if (looked) ++event.rounds;
    if (2 * event.silent <= event.hosts) {
      event.over = true;
      told.push_back(event);
      release(i);
    } else if (!event.given_up && time - event.begun > config_.patience && most_others_answer()) {
      event.given_up = true;
      told.push_back(event);
    }
  }
}

void Reachability::release(std::size_t event) {
  for (Host& host : hosts_) {
    if (host.state == State::unreachable && host.event == event) host.state = State::left_behind;
  }
}

// Where nearly all are silent it is this machine that is cut off.
bool Reachability::most_others_answer() const {
  const auto count = [&](State state) {
    return std::count_if(hosts_.begin(), hosts_.end(),
                         [&](const Host& host) { return host.state == state; });
  };
  return count(State::answers) >= count(State::unreachable);
}

void Reachability::set_clock(double seconds) {
  for (NetworkEvent& event : events_) event.begun += seconds;
}

bool Reachability::interrupted() const {
  return std::any_of(events_.begin(), events_.end(),
                     [](const NetworkEvent& event) { return !event.over && !event.given_up; });
}

std::size_t Reachability::unreachable() const {
  return static_cast<std::size_t>(std::count_if(hosts_.begin(), hosts_.end(), [](const Host& host) {
    return host.state == State::unreachable;
  }));
}

}  // namespace tofa::health
