// SPDX-License-Identifier: BSD-3-Clause
// What tofa-healthd keeps on disk: one SQLite database in WAL mode. Not a row per heartbeat, which
// 10,000 hosts would drown it with, but a row per host that changes only when its estimate does,
// and a row per outage:
//
//     host(name, seen, up, since, misses_in_row, misses, method, estimate, sum)
//     outage(host, start, end, observed, cause, sum)
//                                          end is NULL while it lasts, also over restarts; observed
//                                          = 0: it ended while nobody looked, some time after end;
//                                          cause: the source that noticed it
//     exposure(host, day, up_seconds, outages, sum)
//                                          the last days, from which rates follow
//     meta(key, value)                     schema, last_round, and its clock
//
// `sum` is a checksum over the rest of the row; a row that people change by hand loses it. A
// database of an older version is brought up to date when it is opened, one from a newer version is
// refused. A damaged one is kept aside, never repaired or deleted, and the store goes on in a new
// file with what could still be read and what was published.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/snapshot.hpp"
#include "healthd/fleet.hpp"
#include "healthd/sqlite.hpp"
#include "healthd/store_contents.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

class Store {
 public:
  // Opens or creates the database and checks all of it. `published` is the last snapshot, if there
  // is one. Throws tofa::Error, but not for damage.
  explicit Store(const std::string& path, const std::optional<Snapshot>& published = {});

  // All that is in it now. Throws tofa::Error.
  StoreContents read() { return read_contents(database_.get()); }
  // What was wrong with the database when it was opened; empty when nothing was.
  const std::string& damage() const { return damage_; }

  // All in one transaction, so that either everything is saved or nothing. Throws tofa::Error, e.g.
  // when the disk is full; the store stays usable.
  void save(const std::vector<HostRecord>& records, const std::vector<Transition>& transitions,
            double last_round, const std::vector<HostDay>& days = {}, const ClockMark& clock = {});

  // Forgets outages that ended before `time`, and days before `first_day`.
  void forget_before(double time, std::int64_t first_day = 0);

 private:
  void lock();
  void open();
  void check();
  void migrate();
  void begin_anew(const std::string& damage, const std::optional<Snapshot>& published);
  void write(const StoreContents& contents);
  void write_records(const std::vector<HostRecord>& records, const std::vector<HostDay>& days);
  void write_clock(double last_round, const ClockMark& clock);

  std::string path_;
  std::string damage_;
  FileDescriptor lock_;
  Database database_{nullptr, &::sqlite3_close_v2};
};

}  // namespace tofa::health
