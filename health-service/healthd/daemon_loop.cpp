// SPDX-License-Identifier: BSD-3-Clause
// Names are resolved elsewhere, and disks are for the writer's thread; all else is one thread: a
// round of all sources, a save when a host changed or one is due, its snapshot, both handed over,
// and then a wait that a signal ends. The save comes first, so that nobody is told of a change that
// a crash could undo. What cannot be written is kept in memory and tried again, and told
// nevertheless; while the disk says nothing, nobody is told anything. Only a configuration or a
// database that is not usable at the start ends the daemon. How it starts: daemon_start.cpp.
#include "healthd/daemon_loop.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <ctime>
#include <unordered_map>

#include "healthd/control_commands.hpp"
#include "healthd/exposure.hpp"
#include "tofa/error.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kLoudTransitions =
    10;  // in one round; a switch that fails takes many hosts along

constexpr std::chrono::seconds kSlowDisk{5};   // is reported
constexpr std::chrono::seconds kFarewell{20};  // for the disk, when the daemon is asked to stop
constexpr std::chrono::milliseconds kCatchingUp{100};  // at a time: rounds go on meanwhile

std::chrono::steady_clock::duration seconds(double value) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(value));
}

void log_transition(const Transition& transition) {
  if (transition.up) {
    spdlog::info("{} is up{}", transition.host, transition.outage ? " again" : "");
  } else if (transition.outage) {
    spdlog::warn("{} is down ({})", transition.host, transition.cause);
  } else if (transition.cause == "heartbeat") {
    spdlog::warn("{} has never answered; is tofa-noded running there?", transition.host);
  } else {
    spdlog::warn("{} has not been up since it is watched ({})", transition.host, transition.cause);
  }
}

// Of each host; nothing for a new one.
std::vector<std::optional<std::size_t>> places_before(const Fleet& before, const Fleet& now) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < before.size(); ++i) places.emplace(before.name(i), i);
  std::vector<std::optional<std::size_t>> found(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto place = places.find(now.name(i));
    if (place != places.end()) found[i] = place->second;
  }
  return found;
}

void log_event(const NetworkEvent& event, std::size_t hosts) {
  const std::string where = event.behind ? " behind one switch" : "";
  if (event.over && event.hosts == 0) {
    spdlog::info("the hosts{} that fell silent are out of service, or down for certain", where);
  } else if (event.over) {
    spdlog::info("the network to {} hosts{} is back; {} of them are still silent", event.hosts,
                 where, event.silent);
  } else if (event.given_up) {
    spdlog::warn("{} of {} hosts{} are silent for long; they count as down, not as failed",
                 event.silent, event.hosts, where);
  } else {
    spdlog::warn(
        "{} of {} hosts{} fell silent at once: taken for an interruption of the network, their "
        "estimates stay as they are",
        event.hosts, hosts, where);
  }
}

std::string warning_of_clock(double off) {
  return fmt::format(
      "the wall clock is {:.1f} days {} where the last round and the time since put it; unless the "
      "machine was off for so long, set it right. Nothing is forgotten until it has gone evenly for "
      "{:.0f} days",
      std::abs(off) / kDay, off > 0 ? "ahead of" : "behind", ClockWatch::kPatience / kDay);
}

std::unique_ptr<ControlServer> make_control(const ControlConfig& config, bool replace) {
  if (config.socket.empty()) return nullptr;
  auto control = std::make_unique<ControlServer>(config, replace);
  spdlog::info("root{}{} may change things at {}", config.group.empty() ? "" : " and the group ",
               config.group, config.socket);
  return control;
}

std::vector<std::unique_ptr<HealthSource>> make_sources(const HealthdConfig& config) {
  std::vector<std::unique_ptr<HealthSource>> sources;
  for (const SourceMaker& make : config.sources) sources.push_back(make(config));
  return sources;
}

}  // namespace

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

HealthDaemon::HealthDaemon(std::string config_file)
    : config_file_(std::move(config_file)),
      config_(read_config(config_file_)),
      signals_{SIGTERM, SIGINT, SIGHUP},
      fleet_(config_),
      drainer_(std::make_unique<Drainer>(config_.drain)),
      next_save_(Clock::now() + seconds(config_.save)),
      next_cleaning_(Clock::now()) {
  sources_ = make_sources(config_);
  network_ = make_reachability(config_, fleet_);
  control_ = make_control(config_.control, false);
  writer_ = std::make_unique<Writer>(store_of(config_));
}

void HealthDaemon::run() {
  spdlog::info("polling {} hosts every {} s; snapshots go to {}", fleet_.size(), config_.period,
               config_.snapshot);
  auto next_round = Clock::now();
  while (take_signals()) {
    hear_writer();
    report_disk();
    if (restored_ && !held_.empty() && count_held(kCatchingUp)) conclude();
    serve_control();
    const auto now = Clock::now();
    if (now < next_round) {
      wait_until(next_round);
      continue;
    }
    // A round that comes late is not made up for.
    next_round = std::max(next_round + seconds(config_.period), now);
    poll_hosts();
  }
  notify_systemd("STOPPING=1");
  save_at_the_end();
  spdlog::info("asked to stop; the state is saved");
}

void HealthDaemon::save_at_the_end() {
  const auto until = Clock::now() + kFarewell;
  if (last_round_ == 0 && held_.empty() && desk_.number() == 0) return;  // nothing has happened
  if (!restored_ && writer_->await_opened(until)) hear_writer();
  const std::string in_time = fmt::format(" within {} s", kFarewell.count());
  if (!restored_ || !count_held(until - Clock::now())) fail_to_save(in_time);
  // A change on its way to the disk comes first, and no other: the rest must not overtake it.
  bool finished = writer_->finish(desk_.number(), until);
  hear_writer();
  finish_change();
  finished = finished && writer_->finish(save(true), until);
  hear_writer();
  if (finished && !save_failed_ && news_.only_in_memory.empty()) return;
  fail_to_save(finished ? "" : in_time);
}

void HealthDaemon::fail_to_save(const std::string& when) const {
  throw Error(
      ErrorKind::unavailable, config_.database, 0,
      fmt::format("asked to stop, but the state could not be saved{}: what happened since the last "
                  "save is lost; free the disk or make its folder writable",
                  when));
}

bool HealthDaemon::take_signals() {
  for (int signal = signals_.take(); signal != 0; signal = signals_.take()) {
    if (signal != SIGHUP) return false;
    reload();
  }
  return true;
}

void HealthDaemon::reload() {
  try {
    HealthdConfig changed = read_config(config_file_);
    if (changed.database != config_.database) {
      spdlog::warn("the database stays {} until the next start", config_.database);
      changed.database = config_.database;
    }
    Fleet fleet(changed);
    auto sources = make_sources(changed);
    const auto ended = fleet.take_over(fleet_, unix_time());
    auto network = make_reachability(changed, fleet);
    // One that waits after a refusal, or for an answer of Slurm, goes on.
    std::unique_ptr<Drainer> drainer;
    if (changed.drain != config_.drain) drainer = std::make_unique<Drainer>(changed.drain);
    // The last that can fail, since the socket there is replaced.
    if (changed.control != config_.control) {
      control_ = make_control(changed.control, changed.control.socket == config_.control.socket);
      desk_.hang_up();
    }
    for (const Transition& transition : ended) {
      unsaved_transitions_.push_back(transition);
      history_.apply(transition);
    }
    held_.take_over(places_before(fleet_, fleet));
    network_ = std::move(network);
    fleet_ = std::move(fleet);
    sources_ = std::move(sources);
    if (drainer) drainer_ = std::move(drainer);
    config_ = std::move(changed);
    spdlog::info("configuration reloaded: {} hosts", fleet_.size());
  } catch (const Error& error) {
    spdlog::error("{}; the configuration stays as it was", error.what());
  }
}

void HealthDaemon::poll_hosts() {
  // Read once, so that no step of the wall clock comes between its being noticed and the round.
  const ClockReading now = read_clocks();
  if (restored_) watch_clock(now);
  std::vector<SourceReport> reports;
  for (const auto& source : sources_) {
    auto report = source->report(signals_.fd());
    if (!report) return;  // a signal came first
    reports.push_back(std::move(*report));
  }
  rejected_ = 0;
  troubles_.clear();
  for (const SourceReport& report : reports) {
    rejected_ += report.rejected;
    if (!report.trouble.empty()) troubles_.push_back(report.trouble);
  }
  ObservedRound round(fleet_.size());
  for (std::size_t host = 0; host < round.size(); ++host) round[host] = combine(reports, host);
  if (known()) {
    count(std::move(round), now.wall);
    conclude();
  } else {
    held_.add(round, now.running);
  }
  tell_systemd();
}

void HealthDaemon::count(ObservedRound round, double time) {
  exclusions_.plan(fleet_, round, time);
  for (const NetworkEvent& event : network_.judge(round, time)) log_event(event, fleet_.size());
  if (const std::size_t restarted = fleet_.forgive_restarts(round); restarted > 0) {
    spdlog::warn(
        "{} hosts have started anew since this daemon was stopped: taken for something that was "
        "done to all of them, their estimates stay as they are",
        restarted);
  }
  std::vector<Transition> transitions;
  for (std::size_t host = 0; host < round.size(); ++host) {
    if (!round[host]) continue;
    for (Transition& restart : fleet_.record_restart(host, *round[host], time)) {
      transitions.push_back(std::move(restart));
    }
    if (auto change = fleet_.record(host, *round[host], time)) {
      transitions.push_back(std::move(*change));
    }
  }
  note(transitions);
  last_round_ = time;
}

void HealthDaemon::conclude() {
  const bool hold = network_.interrupted() || clock_.off();
  fleet_.estimate(last_round_);  // nobody is drained or resumed by what was never fitted
  drainer_->step(fleet_, hold, drains_, *writer_, news_.done, last_round_);
  if (desk_.changing()) {
    desk_.put_off(seconds_running());
  } else {
    save_and_publish();
  }
}

void HealthDaemon::note(const std::vector<Transition>& transitions) {
  for (const Transition& transition : transitions) {
    history_.apply(transition);
    if (transition.outage && unsaved_transitions_.size() < kMostUnsavedTransitions) {
      unsaved_transitions_.push_back(transition);
    }
  }
  const std::size_t loud = std::min(transitions.size(), kLoudTransitions);
  std::for_each_n(transitions.begin(), loud, log_transition);
  if (transitions.size() > loud) {
    spdlog::warn("{} more hosts changed state; {} are down now", transitions.size() - loud,
                 fleet_.down_hosts());
  }
}

// Everything but estimates, before anybody is told; where that fails, not again with every round.
bool HealthDaemon::must_be_saved() const {
  return !save_failed_ && (!unsaved_transitions_.empty() || fleet_.state_unsaved());
}

void HealthDaemon::save_and_publish() {
  if (must_be_saved() || Clock::now() >= next_save_) save();
  desk_.published(publish());
}

std::uint64_t HealthDaemon::publish() {
  const double now = unix_time();
  fleet_.estimate(now);
  Snapshot snapshot = fleet_.snapshot(now);
  history_.tell(snapshot);
  snapshot.warnings = warnings();
  exclusions_.mark(snapshot);
  mark_drains(drainer_->board(), snapshot);
  return writer_->publish({std::move(snapshot), config_.snapshot});
}

void HealthDaemon::tell_ready() {
  if (!std::exchange(ready_, true)) notify_systemd("READY=1");
}

void HealthDaemon::tell_systemd() {
  if (!known()) {
    notify_systemd(fmt::format("WATCHDOG=1\nSTATUS={}; polling {} hosts, nothing is published yet",
                               waiting_for(), fleet_.size()));
    return;
  }
  auto troubles = warnings();
  if (disk_hangs_) troubles.emplace_back("the disk does not answer");
  notify_systemd(fmt::format("WATCHDOG=1\nSTATUS=polling {} hosts, {} down{}{}", fleet_.size(),
                             fleet_.down_hosts(), troubles.empty() ? "" : "; ",
                             fmt::join(troubles, "; ")));
}

std::uint64_t HealthDaemon::save(bool all) {
  next_save_ = Clock::now() + seconds(config_.save);
  SaveBatch batch{.records = fleet_.unsaved(all),
                  .transitions = std::exchange(unsaved_transitions_, {}),
                  .days = fleet_.unsaved_days(all),
                  .last_round = last_round_,
                  .clock = clock_.mark()};
  fleet_.mark_saved();
  if (clock_.trusted() && Clock::now() >= next_cleaning_) {
    next_cleaning_ = Clock::now() + std::chrono::hours(1);
    batch.forget = {last_round_ - config_.history_days * kDay,
                    static_cast<std::int64_t>(last_round_ / kDay) - config_.rate_days};
  }
  return writer_->save(std::move(batch));
}

void HealthDaemon::hear_writer() {
  const bool in_memory = !news_.only_in_memory.empty();
  auto saved = restored_ ? std::nullopt : writer_->opened();
  news_ = writer_->news();  // not before: it tells of the same
  if (saved) restore(*std::move(saved));
  if (in_memory && news_.only_in_memory.empty()) {
    spdlog::info("{} can be written now; all is saved there", config_.database);
  }
  if (news_.tried_to_save) save_failed_ = !news_.save_trouble.empty();
  if (news_.tried_to_save && save_failed_) {
    if (const auto held_back = save_failures_.pass()) {
      spdlog::error(
          "{}; estimates stay in memory until it can be written ({} more failures since "
          "the last report)",
          news_.save_trouble, *held_back);
    }
  }
  if (!news_.tried_to_publish) return;
  if (!news_.publish_trouble.empty()) {
    if (const auto held_back = publish_failures_.pass()) {
      spdlog::error(
          "{}; the gateway goes on with the last snapshot ({} more failures since the last "
          "report)",
          news_.publish_trouble, *held_back);
    }
  }
  tell_ready();
}

void HealthDaemon::report_disk() {
  const auto busy_since = writer_->busy_since();
  const bool hangs = busy_since && Clock::now() - *busy_since >= kSlowDisk;
  if (hangs == std::exchange(disk_hangs_, hangs)) return;
  if (hangs) {
    spdlog::error(
        "the disk of {} or {} has not answered for {} s; heartbeats go on, and what they tell is "
        "saved and published when it does",
        config_.database, config_.snapshot, kSlowDisk.count());
    if (!restored_) tell_waiting();
  } else {
    spdlog::info("the disk answers again");
  }
}

void HealthDaemon::watch_clock(const ClockReading& now) {
  const auto off = clock_.observe(now);
  if (clock_.step() != 0) {
    fleet_.set_clock(clock_.step(), now.wall);
    network_.set_clock(clock_.step());
    // What is saved belongs together also where no round follows.
    if (last_round_ > 0) last_round_ += clock_.step();
  }
  if (off) spdlog::error("{}", warning_of_clock(*off));
}

std::vector<std::string> HealthDaemon::warnings() const {
  std::vector<std::string> warnings;
  if (!news_.damage.empty()) warnings.push_back(news_.damage);
  if (!news_.only_in_memory.empty()) {
    warnings.push_back("nothing can be saved: " + news_.only_in_memory);
  }
  if (save_failed_) warnings.push_back("the last save failed: " + news_.save_trouble);
  if (const auto off = clock_.off()) warnings.push_back(warning_of_clock(*off));
  if (const std::size_t hosts = network_.unreachable(); hosts > 0) {
    warnings.push_back(fmt::format("{} hosts are silent because the network is", hosts));
  }
  if (rejected_ > 0) warnings.push_back(fmt::format("answers rejected: {}", rejected_));
  if (!drainer_->remark().empty()) warnings.push_back(drainer_->remark());
  warnings.insert(warnings.end(), troubles_.begin(), troubles_.end());
  return warnings;
}

void HealthDaemon::wait_until(Clock::time_point time) {
  // That the disk hangs has to be told even between two rounds that are far apart.
  if (!restored_) time = std::min(time, Clock::now() + kSlowDisk);
  if (restored_ && !held_.empty()) time = Clock::now();
  const double left = std::min(std::chrono::duration<double>(time - Clock::now()).count(),
                               desk_.deadline() - seconds_running());
  pollfd waiting[] = {{signals_.fd(), POLLIN, 0},
                      {writer_->fd(), POLLIN, 0},
                      {control_ ? control_->fd() : -1, POLLIN, 0}};
  (void)::poll(waiting, 3, std::max(0, static_cast<int>(std::ceil(left * 1000))));
}

Controlled HealthDaemon::controlled() {
  return {config_, fleet_, exclusions_, history_, &drainer_->board(), &drains_};
}

void HealthDaemon::finish_change() {
  const auto changed = desk_.finish(news_.done, seconds_running(), controlled());
  if (changed) spdlog::info("{}", *changed);
}

// Whoever is told that it is done finds it in the snapshot, once there is one.
void HealthDaemon::serve_control() {
  const double now = seconds_running();
  if (control_) {
    for (auto& [connection, caller, text] : control_->take()) {
      desk_.take(connection, std::move(caller), std::move(text), now);
    }
  }
  if (known()) {
    carry_out_requests(now);
  } else if (disk_hangs_) {
    decline_requests();
  }
  for (auto& [connection, text] : desk_.answers(*writer_, news_.done, now)) {
    if (control_) control_->answer(connection, std::move(text));
  }
}

void HealthDaemon::carry_out_requests(double now) {
  finish_change();
  if (desk_.must_publish(now)) {
    last_round_ > 0 ? save_and_publish() : desk_.published(0);
  }
  desk_.start(*writer_, now, unix_time(), controlled());
}

}  // namespace tofa::health
