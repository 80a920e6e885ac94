// SPDX-License-Identifier: BSD-3-Clause
// What tofa-healthd keeps on disk: one SQLite database in WAL mode. Not a row per heartbeat, which
// 10,000 hosts would drown it with, but a row per host that changes only when its estimate does,
// and a row per outage:
//
//     host(name, seen, up, since, misses_in_row, misses, method, estimate, boot, sum)
//     outage(host, start, end, observed, cause, sum)
//                                          end is NULL while it lasts, also over restarts; observed
//                                          = 0: it ended while nobody looked, some time after end;
//                                          cause: the source that noticed it,
//                                          and what it said (tofa/outage_cause.hpp)
//     exposure(host, day, up_seconds, outages, sum)
//                                          the last days, from which rates follow
//     change(...)                          what admins changed: healthd/change_table.hpp
//     meta(key, value)                     schema, last_round, and its clock
//
// `sum` is a checksum over the rest of the row; a row that people change by hand loses it. A
// database of an older version is brought up to date when it is opened, one from a newer version is
// refused. A damaged one is kept aside, never repaired or deleted, and the store goes on in a new
// file with what could still be read and what was published. Where nothing can be written when it
// is opened, the store works on a copy in memory and moves to the disk as soon as it can.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/snapshot.hpp"
#include "healthd/fleet.hpp"
#include "healthd/renames.hpp"
#include "healthd/sqlite.hpp"
#include "healthd/store_contents.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

class Store {
 public:
  // Opens or creates the database and checks all of it. `published` is the last snapshot, if there
  // is one. Throws tofa::Error, but neither for damage nor when the disk is full or read-only.
  explicit Store(const std::string& path, const std::optional<Snapshot>& published = {});

  // All that is in it now. Throws tofa::Error.
  StoreContents read() { return read_contents(database_.get()); }
  // What was wrong with the database when it was opened; empty when nothing was.
  const std::string& damage() const { return damage_; }
  // Why nothing can be written to the disk: all is kept in memory only. Empty when it can.
  const std::string& only_in_memory() const { return only_in_memory_; }

  // All in one transaction, so that either everything is saved or nothing. Throws tofa::Error, e.g.
  // when the disk is full; the store stays usable. In memory it first tries to move to the disk.
  void save(const std::vector<HostRecord>& records, const std::vector<Transition>& transitions,
            double last_round, const std::vector<HostDay>& days = {}, const ClockMark& clock = {});

  // What admins change; an event is an outage from then on. `records` and `days` are those of the
  // hosts of events and of the new names of merges, with them. All in one transaction, and on the
  // disk when this returns. Throws tofa::Error, also where nothing can be written but in memory, or
  // an outage is known already.
  void save_changes(const std::vector<Change>& changes, const std::vector<HostRecord>& records = {},
                    const std::vector<HostDay>& days = {});
  // The next rows of a table, at most so many, with a number above `after`.
  std::vector<std::pair<std::int64_t, StoredOutage>> outages_after(std::int64_t after,
                                                                   std::int64_t most);
  std::vector<Change> changes_after(std::int64_t after, std::int64_t most);
  // Beside what is there, in place of rows of the same host or day, all in one transaction. The
  // clock is left alone. Throws tofa::Error.
  void add(const StoreContents& more);

  // Forgets outages that ended before `time`, and days before `first_day`.
  void forget_before(double time, std::int64_t first_day = 0);

 private:
  Store() = default;
  void open_on_disk(const std::optional<Snapshot>& published);
  void open_in_memory(const DatabaseError& why, const std::optional<Snapshot>& published);
  void move_to_disk();
  void try_disk();
  void open();
  void check();
  void migrate();
  void begin_anew(const std::string& damage, const std::optional<Snapshot>& published);
  void write(const StoreContents& contents);
  Renames names_so_far();
  void forget_host(const std::string& host);
  void write_outages(const std::vector<StoredOutage>& outages);
  void write_records(const std::vector<HostRecord>& records, const std::vector<HostDay>& days);
  void write_clock(double last_round, const ClockMark& clock);

  std::string path_;
  std::string damage_;
  std::string only_in_memory_;
  std::optional<StoreContents> left_;  // of a damaged database, not yet in a new one
  FileDescriptor lock_;                // closed after the database: see lock_database()
  FileDescriptor lock_of_damaged_;
  Database database_{nullptr, &::sqlite3_close_v2};
};

}  // namespace tofa::health
