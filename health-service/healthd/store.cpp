// SPDX-License-Identifier: BSD-3-Clause
// The schema, and one transaction for everything that is saved at a time. A lock file keeps a
// second daemon away, which SQLite's own locks would let in between two transactions.
#include "healthd/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "healthd/sqlite.hpp"
#include "tofa/error.hpp"

namespace tofa::health {
namespace {

constexpr std::int64_t kSchema = 2;

constexpr const char* kCreate = R"(
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS host (
  name TEXT PRIMARY KEY, seen INTEGER NOT NULL, up INTEGER NOT NULL, since REAL NOT NULL,
  misses_in_row INTEGER NOT NULL, misses INTEGER NOT NULL, method TEXT NOT NULL, estimate TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outage (
  host TEXT NOT NULL, start REAL NOT NULL, end REAL, observed INTEGER NOT NULL DEFAULT 1,
  cause TEXT NOT NULL DEFAULT 'heartbeat');
CREATE INDEX IF NOT EXISTS outage_host ON outage (host, start);
CREATE INDEX IF NOT EXISTS outage_end ON outage (end);
CREATE TABLE IF NOT EXISTS exposure (
  host TEXT NOT NULL, day INTEGER NOT NULL, up_seconds REAL NOT NULL, outages INTEGER NOT NULL,
  PRIMARY KEY (host, day)) WITHOUT ROWID;
)";

// Schema 1 knew heartbeats only, and did not count the time that hosts were up.
constexpr const char* kFromSchema1 =
    "ALTER TABLE outage ADD COLUMN cause TEXT NOT NULL DEFAULT 'heartbeat'";

constexpr const char* kRemedy =
    "stop all tofa-healthd, then restore a backup, or move the file away to start with an empty "
    "history";

// Ends an outage, also where the clock has been set back since it began.
constexpr const char* kEndOutage =
    "UPDATE outage SET end = max(start, ?1), observed = ?2 WHERE end IS NULL AND host = ?3";

// A host has one outage at a time.
constexpr const char* kBeginOutage =
    "INSERT INTO outage (host, start, cause) SELECT ?1, ?2, ?3 WHERE NOT EXISTS "
    "(SELECT 1 FROM outage WHERE host = ?1 AND end IS NULL)";

// Who can read the database or its lock file can also lock them, and with that stop all saving.
// SQLite gives the files beside a database the database's mode; those of an earlier version of this
// program may be there already.
void make_private(const std::string& file, int flags) {
  const FileDescriptor opened(::open(file.c_str(), O_RDWR | O_CLOEXEC | flags, 0600));
  if (!opened && (flags & O_CREAT) == 0 && errno == ENOENT) return;
  if (!opened) {
    throw Error(ErrorKind::unavailable, file, 0,
                fmt::format("cannot open: {}; the folder of [state] database must exist and be "
                            "writable",
                            std::strerror(errno)));
  }
  if (::fchmod(opened.get(), 0600) != 0) {
    throw Error(ErrorKind::unavailable, file, 0,
                fmt::format("cannot be kept from other users: {}; it must belong to the user that "
                            "tofa-healthd runs as",
                            std::strerror(errno)));
  }
}

}  // namespace

Store::Store(const std::string& path) : path_(path) {
  lock();
  // Before SQLite opens them: closing a file ends all locks that a process has on it.
  make_private(path, O_CREAT);
  for (const char* beside : {"-wal", "-shm"}) make_private(path + beside, 0);
  sqlite3* database = nullptr;
  const int code = ::sqlite3_open_v2(path.c_str(), &database,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) {
    throw Error(ErrorKind::unavailable, path, 0,
                fmt::format("cannot open the database: {}; [state] database names it",
                            ::sqlite3_errmsg(database)));
  }
  ::sqlite3_busy_timeout(database, 2000);
  check();
}

// Two daemons on one database would overwrite each other's estimates.
void Store::lock() {
  const std::string file = path_ + ".lock";
  make_private(file, O_CREAT);
  lock_.reset(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!lock_) throw Error(ErrorKind::unavailable, file, 0, std::strerror(errno));
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Error(ErrorKind::unavailable, path_, 0,
                "another tofa-healthd is using this database; stop it first");
  }
}

void Store::check() {
  try {
    execute(database_.get(), "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    Statement integrity(database_.get(), "PRAGMA quick_check(1)");
    if (!integrity.step() || integrity.text(0) != "ok") {
      throw Error(ErrorKind::unavailable, path_, 0, integrity.text(0));
    }
    Transaction transaction(database_.get());
    execute(database_.get(), kCreate);
    migrate();
    transaction.commit();
  } catch (const Error& error) {
    throw Error(ErrorKind::unavailable, fmt::format("{}; {}", error.what(), kRemedy));
  }
}

void Store::migrate() {
  std::int64_t schema = kSchema;
  {
    Statement saved(database_.get(), "SELECT value FROM meta WHERE key = 'schema'");
    if (saved.step()) schema = saved.integer(0);
  }
  if (schema < 1 || schema > kSchema) {
    throw Error(ErrorKind::unavailable, path_, 0,
                fmt::format("has schema {}, this tofa-healthd knows 1 to {}", schema, kSchema));
  }
  if (schema == 1) execute(database_.get(), kFromSchema1);
  Statement(database_.get(), "INSERT OR REPLACE INTO meta VALUES ('schema', ?)")
      .bind(1, kSchema)
      .run();
}

double Store::meta(const char* key) {
  Statement saved(database_.get(), "SELECT value FROM meta WHERE key = ?");
  saved.bind(1, key);
  return saved.step() ? saved.number(0) : 0;
}

double Store::last_round() {
  return meta("last_round");
}

std::optional<ClockMark> Store::clock() {
  if (last_round() <= 0) return std::nullopt;
  Statement boot(database_.get(), "SELECT value FROM meta WHERE key = 'clock_boot'");
  return ClockMark{{last_round(), meta("clock_running"), boot.step() ? boot.text(0) : ""},
                   meta("clock_even")};
}

std::vector<std::string> Store::lasting_outages() {
  std::vector<std::string> hosts;
  Statement rows(database_.get(), "SELECT DISTINCT host FROM outage WHERE end IS NULL");
  while (rows.step()) hosts.push_back(rows.text(0));
  return hosts;
}

void Store::end_outages_except(const std::vector<std::string>& hosts) {
  const std::set<std::string> kept(hosts.begin(), hosts.end());
  const double end = last_round();
  Transaction transaction(database_.get());
  Statement ended(database_.get(), kEndOutage);
  for (const std::string& host : lasting_outages()) {
    if (kept.contains(host)) continue;
    ended.bind(1, end).bind(2, std::int64_t{0}).bind(3, host).run();
  }
  transaction.commit();
}

std::vector<HostRecord> Store::load() {
  std::vector<HostRecord> records;
  Statement rows(database_.get(),
                 "SELECT name, seen, up, since, misses_in_row, misses, method, estimate FROM host");
  while (rows.step()) {
    records.push_back({.name = rows.text(0),
                       .seen = rows.integer(1) != 0,
                       .up = rows.integer(2) != 0,
                       .since = rows.number(3),
                       .misses_in_row = static_cast<unsigned>(rows.integer(4)),
                       .misses = static_cast<std::uint64_t>(rows.integer(5)),
                       .method = rows.text(6),
                       .estimate = rows.text(7)});
  }
  return records;
}

std::vector<HostDay> Store::load_days() {
  std::vector<HostDay> days;
  Statement rows(database_.get(),
                 "SELECT host, day, up_seconds, outages FROM exposure ORDER BY host, day");
  while (rows.step()) {
    days.push_back({rows.text(0),
                    {.day = rows.integer(1),
                     .up_seconds = rows.number(2),
                     .outages = static_cast<std::uint64_t>(rows.integer(3))}});
  }
  return days;
}

std::vector<PastOutage> Store::latest_outages(std::size_t most) {
  std::vector<PastOutage> outages;
  Statement rows(database_.get(),
                 "SELECT host, start, ifnull(end, 0), cause FROM outage "
                 "ORDER BY start DESC, rowid DESC LIMIT ?");
  rows.bind(1, static_cast<std::int64_t>(most));
  while (rows.step()) {
    outages.push_back({rows.text(0), rows.number(1), rows.number(2), rows.text(3)});
  }
  std::reverse(outages.begin(), outages.end());
  return outages;
}

void Store::save(const std::vector<HostRecord>& records, const std::vector<Transition>& transitions,
                 double last_round, const std::vector<HostDay>& days, const ClockMark& clock) {
  Transaction transaction(database_.get());
  Statement host(database_.get(), "INSERT OR REPLACE INTO host VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (const HostRecord& record : records) {
    host.bind(1, record.name).bind(2, std::int64_t{record.seen}).bind(3, std::int64_t{record.up});
    host.bind(4, record.since).bind(5, std::int64_t{record.misses_in_row});
    host.bind(6, static_cast<std::int64_t>(record.misses));
    host.bind(7, record.method).bind(8, record.estimate).run();
  }
  Statement begin(database_.get(), kBeginOutage);
  Statement end(database_.get(), kEndOutage);
  for (const Transition& transition : transitions) {
    if (transition.up) {
      end.bind(1, transition.time).bind(2, std::int64_t{transition.observed});
      end.bind(3, transition.host).run();
    } else {
      begin.bind(1, transition.host).bind(2, transition.time).bind(3, transition.cause).run();
    }
  }
  Statement day(database_.get(), "INSERT OR REPLACE INTO exposure VALUES (?, ?, ?, ?)");
  for (const HostDay& row : days) {
    day.bind(1, row.host).bind(2, row.day.day).bind(3, row.day.up_seconds);
    day.bind(4, static_cast<std::int64_t>(row.day.outages)).run();
  }
  Statement meta(database_.get(),
                 "INSERT OR REPLACE INTO meta VALUES ('last_round', ?), ('clock_running', ?), "
                 "('clock_boot', ?), ('clock_even', ?)");
  meta.bind(1, last_round).bind(2, clock.last.running).bind(3, clock.last.boot);
  meta.bind(4, clock.even).run();
  transaction.commit();
}

void Store::forget_before(double time, std::int64_t first_day) {
  Statement(database_.get(), "DELETE FROM outage WHERE end < ?").bind(1, time).run();
  Statement(database_.get(), "DELETE FROM exposure WHERE day < ?").bind(1, first_day).run();
}

}  // namespace tofa::health
