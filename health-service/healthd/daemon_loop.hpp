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
#include "healthd/history.hpp"
#include "healthd/reachability.hpp"
#include "healthd/source.hpp"
#include "healthd/store.hpp"
#include "healthd/writer.hpp"

namespace tofa::health {

class HealthDaemon {
 public:
  // Throws tofa::Error when the configuration or the database is not usable.
  explicit HealthDaemon(std::string config_file);

  // Until SIGTERM or SIGINT.
  void run();

 private:
  using Clock = std::chrono::steady_clock;

  bool take_signals();  // false when asked to stop
  void restore(Store& store);
  void reload();
  void poll_hosts();
  void record(const std::vector<SourceReport>& reports, double time);
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
  // Throws where that does not succeed within kFarewell.
  void save_at_the_end();
  void watch_clock();
  // What admins ask, all that waits.
  void serve_control();
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

}  // namespace tofa::health
