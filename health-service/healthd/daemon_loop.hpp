// SPDX-License-Identifier: BSD-3-Clause
// tofa-healthd itself: rounds of asking all sources, what follows from them, and where it goes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common/daemon.hpp"
#include "healthd/clock_watch.hpp"
#include "healthd/config.hpp"
#include "healthd/control_desk.hpp"
#include "healthd/control_server.hpp"
#include "healthd/drainer.hpp"
#include "healthd/drains.hpp"
#include "healthd/exclusions.hpp"
#include "healthd/fleet.hpp"
#include "healthd/held_rounds.hpp"
#include "healthd/history.hpp"
#include "healthd/reachability.hpp"
#include "healthd/source.hpp"
#include "healthd/store.hpp"
#include "healthd/writer.hpp"

namespace tofa::health {

class HealthDaemon {
 public:
  // Throws tofa::Error when the configuration is not usable.
  explicit HealthDaemon(std::string config_file);

  // Until SIGTERM or SIGINT. Throws tofa::Error when the database is not usable.
  void run();

 private:
  using Clock = std::chrono::steady_clock;

  bool take_signals();  // false when asked to stop
  static Writer::StoreMaker store_of(const HealthdConfig& config);
  static Reachability make_reachability(const HealthdConfig& config, const Fleet& fleet);
  void reload();
  void poll_hosts();
  // A round: what follows from it for each host, and what is done about it then.
  void count(ObservedRound round, double time);
  void conclude();

  // Defined in daemon_start.cpp: until it is known what was known before, rounds are held and
  // nothing is published.
  bool known() const { return restored_ && held_.empty(); }
  void restore(StoreContents saved);
  // For so long at most; false where rounds are left.
  bool count_held(Clock::duration longest);
  void tell_waiting();
  std::string waiting_for() const;
  void decline_requests();

  // What happened in a round goes to the history, the next save and the log.
  void note(const std::vector<Transition>& transitions);
  bool must_be_saved() const;
  // These two hand over to the writer, and wait for nothing. What cannot be written now is kept and
  // written later.
  std::uint64_t publish();
  std::uint64_t save(bool all = false);
  void save_and_publish();
  // What the writer tells, and whether the disk answers.
  void hear_writer();
  void report_disk();
  void tell_systemd();
  void tell_ready();
  // Throws where that does not succeed within kFarewell.
  void save_at_the_end();
  [[noreturn]] void fail_to_save(const std::string& when) const;
  void watch_clock(const ClockReading& now);
  // What admins ask, all that waits.
  void serve_control();
  void carry_out_requests(double now);
  // In memory, once the writer has saved it.
  void finish_change();
  Controlled controlled();
  // What an admin should know, for the snapshot.
  std::vector<std::string> warnings() const;
  void wait_until(Clock::time_point time);

  std::string config_file_;
  HealthdConfig config_;
  SignalQueue signals_;
  Fleet fleet_;
  Reachability network_;
  History history_;
  Exclusions exclusions_;
  Drains drains_;
  ClockWatch clock_;
  std::vector<std::unique_ptr<HealthSource>> sources_;
  ControlDesk desk_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Drainer> drainer_;
  std::unique_ptr<ControlServer> control_;  // none unless configured

  bool restored_ = false;                        // what the database knew
  HeldRounds held_;                              // observed before that
  std::vector<Transition> unsaved_transitions_;  // not handed over yet
  WriterNews news_;                              // the last
  bool disk_hangs_ = false;
  std::uint64_t rejected_ = 0;         // answers to heartbeats, since the start or the last reload
  std::vector<std::string> troubles_;  // of sources, in the last round
  double last_round_ = 0;              // seconds since 1970
  Clock::time_point next_save_;
  Clock::time_point next_cleaning_;
  RateLimit save_failures_{std::chrono::seconds(60)};
  RateLimit publish_failures_{std::chrono::seconds(60)};
  bool save_failed_ = false;
  bool ready_ = false;
};

// Since 1970.
double unix_time();

}  // namespace tofa::health
