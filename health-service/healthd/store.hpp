// SPDX-License-Identifier: BSD-3-Clause
// What tofa-healthd keeps on disk: one SQLite database in WAL mode. Not a row per heartbeat, which
// 10,000 hosts would drown it with, but a row per host that changes only when its estimate does,
// and a row per outage:
//
//     host(name, seen, up, since, misses_in_row, misses, method, estimate)
//     outage(host, start, end, observed, cause)
//                                          end is NULL while it lasts, also over restarts; observed
//                                          = 0: it ended while nobody looked, some time after end;
//                                          cause: the source that noticed it
//     exposure(host, day, up_seconds, outages)
//                                          the last days, from which rates follow
//     meta(key, value)                     schema, last_round, and its clock
//
// A database of an older version is brought up to date when it is opened. One that is damaged or
// from a newer version is refused, never repaired or deleted.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "healthd/clock_watch.hpp"
#include "healthd/fleet.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

class Store {
 public:
  // Opens or creates the database and checks it. Throws tofa::Error.
  explicit Store(const std::string& path);

  std::vector<HostRecord> load();
  std::vector<HostDay> load_days();
  // The latest, in the order in which they began.
  std::vector<PastOutage> latest_outages(std::size_t most);
  // The hosts whose outages last.
  std::vector<std::string> lasting_outages();
  // When somebody looked last, in seconds since 1970; 0 when nobody has.
  double last_round();
  // What the clocks said then; nothing when nobody has looked.
  std::optional<ClockMark> clock();

  // Ends the outages that last, but for those of `hosts`, at the last round: nobody looks any more.
  void end_outages_except(const std::vector<std::string>& hosts);

  // All in one transaction, so that either everything is saved or nothing. Throws tofa::Error, e.g.
  // when the disk is full; the store stays usable.
  void save(const std::vector<HostRecord>& records, const std::vector<Transition>& transitions,
            double last_round, const std::vector<HostDay>& days = {}, const ClockMark& clock = {});

  // Forgets outages that ended before `time`, and days before `first_day`.
  void forget_before(double time, std::int64_t first_day = 0);

 private:
  using Database = std::unique_ptr<sqlite3, decltype(&::sqlite3_close_v2)>;

  void lock();
  double meta(const char* key);
  void check();
  void migrate();

  std::string path_;
  FileDescriptor lock_;
  Database database_{nullptr, &::sqlite3_close_v2};
};

}  // namespace tofa::health
