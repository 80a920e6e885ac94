// SPDX-License-Identifier: BSD-3-Clause
// How tofa-healthd starts. It polls hosts from the first moment, though the disk may take long to
// tell what was known before, or hang: the rounds of that time are held, and counted in their order
// once the database has been read. Nothing is published before, so that nobody is told less than
// was known; the last snapshot stays, and says after a while that this daemon waits.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <set>

#include "healthd/daemon_loop.hpp"
#include "tofa/error.hpp"
#include "tofa/topology.hpp"

namespace tofa::health {
namespace {

// One without hosts tells that a daemon waited for its disk, and nothing of what it knew.
std::optional<Snapshot> last_snapshot(const std::string& path) {
  try {
    Snapshot snapshot = read_snapshot(path);
    return snapshot.hosts.empty() ? std::nullopt : std::optional(std::move(snapshot));
  } catch (const Error&) {
    return std::nullopt;  // there is none, or it is of no use
  }
}

std::vector<bool> were_up(const Fleet& fleet) {
  std::vector<bool> up;
  for (std::size_t i = 0; i < fleet.size(); ++i) up.push_back(fleet.up(i) && fleet.seen(i));
  return up;
}

}  // namespace

Writer::StoreMaker HealthDaemon::store_of(const HealthdConfig& config) {
  return [database = config.database, snapshot = config.snapshot] {
    return Store(database, last_snapshot(snapshot));
  };
}

Reachability HealthDaemon::make_reachability(const HealthdConfig& config, const Fleet& fleet) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < fleet.size(); ++i) names.push_back(fleet.name(i));
  const std::string& file = config.network.topology;
  return {config.network, config.down_after,
          file.empty() ? SwitchOfHost() : switches_of(names, *read_topology(file)), were_up(fleet)};
}

void HealthDaemon::restore(StoreContents saved) {
  if (!news_.damage.empty()) {
    spdlog::error("{}; going on with that and what was published last", news_.damage);
  }
  if (!news_.only_in_memory.empty()) {
    spdlog::error("{}; going on in memory until it can be written", news_.only_in_memory);
  }
  saved.forget_known_restarts();
  history_ = History(saved.latest_outages(History::kMost));
  for (const Change& change : saved.changes) {
    exclusions_.apply(change);
    drains_.apply(change);
    history_.rename(change);
  }
  clock_ = ClockWatch(saved.last_round() > 0 ? std::optional(saved.clock) : std::nullopt);
  const auto lasting = saved.lasting_outages();
  const std::size_t begun_anew =
      fleet_.restore(saved.hosts, saved.days, lasting, saved.last_round());
  if (begun_anew > 0) {
    spdlog::warn("the saved estimates of {} hosts are not of method {}; they begin anew",
                 begun_anew, config_.estimator.method);
  }
  fleet_.mark_saved();
  // Before anything is saved or forgotten by a clock that may have gone wrong in the meantime.
  watch_clock(read_clocks());
  network_.begin_with(were_up(fleet_));
  const auto down = fleet_.lasting_outages();
  if (!down.empty()) spdlog::warn("{} hosts were down at the last round", down.size());
  const std::set<std::string> goes_on(down.begin(), down.end());
  for (const std::string& host : lasting) {
    if (goes_on.contains(host)) continue;
    // Nobody looks at it any more.
    unsaved_transitions_.push_back({host, true, saved.last_round(), true, "", false});
    history_.apply(unsaved_transitions_.back());
  }
  if (held_.dropped() > 0) {
    spdlog::warn(
        "the disk was waited for so long that the first {} rounds had no room in memory: they "
        "count as if nobody had looked",
        held_.dropped());
  }
  restored_ = true;
}

// When each was is told by the wall clock as it is now: it may have been set since.
bool HealthDaemon::count_held(Clock::duration longest) {
  const auto until = Clock::now() + longest;
  const ClockReading now = read_clocks();
  watch_clock(now);
  while (!held_.empty() && Clock::now() < until) {
    HeldRounds::Round round = held_.take();
    count(std::move(round.hosts), now.wall - (now.running - round.time));
  }
  return held_.empty();
}

std::string HealthDaemon::waiting_for() const {
  return fmt::format("waiting for the disk of {}", config_.database);
}

// Also where it is no more than a large database that takes its time to be checked.
void HealthDaemon::tell_waiting() {
  writer_->tell({config_.snapshot,
                 fmt::format("tofa-healthd is {}: what is told here was known before it started",
                             waiting_for()),
                 unix_time(), config_.period});
  // Nobody who starts after this daemon is to wait for the disk, too.
  tell_ready();
}

// Whoever is told that something is done finds it in the snapshot, so nothing can be done yet.
void HealthDaemon::decline_requests() {
  desk_.decline(
      fmt::format("tofa-healthd is {} and does not know yet what it knew before; nothing was "
                  "changed, try again when `tofa health status` no longer says so",
                  waiting_for()));
}

}  // namespace tofa::health
