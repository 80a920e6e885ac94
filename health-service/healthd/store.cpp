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

#include "healthd/recovery.hpp"
#include "healthd/salvage.hpp"
#include "tofa/error.hpp"

namespace tofa::health {
namespace {

constexpr std::int64_t kSchema = 3;
// A schema number beyond this is damage rather than a version to come.
constexpr std::int64_t kHighestSchema = 1000;
// A full check reads everything twice; beyond this size indexes are not compared with their tables.
constexpr std::int64_t kMostPagesFullyChecked = 65'536;

constexpr const char* kCreate = R"(
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS host (
  name TEXT PRIMARY KEY, seen INTEGER NOT NULL, up INTEGER NOT NULL, since REAL NOT NULL,
  misses_in_row INTEGER NOT NULL, misses INTEGER NOT NULL, method TEXT NOT NULL, estimate TEXT NOT NULL,
  sum INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outage (
  host TEXT NOT NULL, start REAL NOT NULL, end REAL, observed INTEGER NOT NULL DEFAULT 1,
  cause TEXT NOT NULL DEFAULT 'heartbeat', sum INTEGER);
CREATE INDEX IF NOT EXISTS outage_host ON outage (host, start);
CREATE INDEX IF NOT EXISTS outage_end ON outage (end);
CREATE TABLE IF NOT EXISTS exposure (
  host TEXT NOT NULL, day INTEGER NOT NULL, up_seconds REAL NOT NULL, outages INTEGER NOT NULL,
  sum INTEGER, PRIMARY KEY (host, day)) WITHOUT ROWID;
)";

// Schema 1 knew heartbeats only, and did not count the time that hosts were up.
constexpr const char* kFromSchema1 =
    "ALTER TABLE outage ADD COLUMN cause TEXT NOT NULL DEFAULT 'heartbeat'";
// Schema 2 had no checksums. In both, a table may be missing, so they come after kCreate.
constexpr const char* kFromSchema2 = R"(
ALTER TABLE host ADD COLUMN sum INTEGER;
ALTER TABLE outage ADD COLUMN sum INTEGER;
)";

// What people change by hand loses its checksum; what changes by accident does not.
constexpr const char* kByHand = R"(
CREATE TRIGGER IF NOT EXISTS host_by_hand AFTER UPDATE ON host WHEN new.sum = old.sum BEGIN
  UPDATE host SET sum = NULL WHERE name = new.name; END;
CREATE TRIGGER IF NOT EXISTS outage_by_hand AFTER UPDATE ON outage WHEN new.sum = old.sum BEGIN
  UPDATE outage SET sum = NULL WHERE rowid = new.rowid; END;
CREATE TRIGGER IF NOT EXISTS exposure_by_hand AFTER UPDATE ON exposure WHEN new.sum = old.sum BEGIN
  UPDATE exposure SET sum = NULL WHERE host = new.host AND day = new.day; END;
)";

constexpr const char* kRemedy =
    "stop all tofa-healthd, then restore a backup, or move the file away to start with an empty "
    "history";

constexpr const char* kWriteHost =
    "INSERT OR REPLACE INTO host (name, seen, up, since, misses_in_row, misses, method, estimate, "
    "sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, checksum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8))";
constexpr const char* kWriteDay =
    "INSERT OR REPLACE INTO exposure (host, day, up_seconds, outages, sum) "
    "VALUES (?1, ?2, ?3, ?4, checksum(?1, ?2, ?3, ?4))";
constexpr const char* kWriteOutage =
    "INSERT INTO outage (host, start, end, observed, cause, sum) "
    "VALUES (?1, ?2, ?3, ?4, ?5, checksum(?1, ?2, ?3, ?4, ?5))";

// A host has one outage at a time.
constexpr const char* kBeginOutage =
    "INSERT INTO outage (host, start, end, observed, cause, sum) "
    "SELECT ?1, ?2, NULL, 1, ?3, checksum(?1, ?2, NULL, 1, ?3) WHERE NOT EXISTS "
    "(SELECT 1 FROM outage WHERE host = ?1 AND end IS NULL)";

// Ends an outage, also where the clock has been set back since it began.
constexpr const char* kEndOutage =
    "UPDATE outage SET end = max(start, ?1), observed = ?2, "
    "sum = checksum(host, start, max(start, ?1), ?2, cause) WHERE end IS NULL AND host = ?3";

constexpr const char* kWriteClock =
    "INSERT OR REPLACE INTO meta VALUES ('last_round', ?), ('clock_running', ?), "
    "('clock_boot', ?), ('clock_even', ?)";

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

bool is_empty_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && info.st_size == 0;
}

// Nothing in a database without one: a new one, or one of which too little is left.
std::optional<std::int64_t> schema_of(sqlite3* database) {
  Statement table(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'");
  if (!table.step()) return std::nullopt;
  Statement saved(database, "SELECT value FROM meta WHERE key = 'schema'");
  if (!saved.step()) return std::nullopt;
  return saved.is(0, SQLITE_INTEGER) ? saved.integer(0) : 0;
}

void refuse_newer(sqlite3* database, const std::string& path) {
  const auto schema = schema_of(database);
  if (!schema || *schema <= kSchema || *schema > kHighestSchema) return;
  throw DatabaseError(
      path,
      fmt::format("has schema {}, this tofa-healthd knows 1 to {}; {}", *schema, kSchema, kRemedy),
      false);
}

}  // namespace

Store::Store(const std::string& path, const std::optional<Snapshot>& published) : path_(path) {
  lock();
  const bool emptied = published && is_empty_file(path);
  // Before SQLite opens them: closing a file ends all locks that a process has on it.
  make_private(path, O_CREAT);
  for (const char* beside : {"-wal", "-shm"}) make_private(path + beside, 0);
  try {
    open();
    StoreContents contents = read();
    if (emptied) {
      damage_ = path + " was empty";
    } else if (published && lacks_changes(contents, *published)) {
      damage_ = path + " lacked the last changes";
    }
    if (!damage_.empty()) write(recover(std::move(contents), *published));
  } catch (const DatabaseError& error) {
    database_.reset();
    if (!error.damage()) throw;
    begin_anew(error.what(), published);
  }
  keep_for_good(database_.get());
}

void Store::begin_anew(const std::string& damage, const std::optional<Snapshot>& published) {
  const std::string aside = set_aside(path_);
  StoreContents contents = salvage(aside);
  damage_ =
      fmt::format("{} was damaged ({}) and is kept as {}; {} hosts and {} outages could be read",
                  path_, damage, aside, contents.hosts.size(), contents.outages.size());
  if (published) contents = recover(std::move(contents), *published);
  make_private(path_, O_CREAT);
  open();
  write(contents);
}

void Store::open() {
  database_ = open_database(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
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

// In an order in which a newer version is refused whatever else there is, and nothing is written to
// a file that is damaged.
void Store::check() {
  refuse_newer(database_.get(), path_);
  execute(database_.get(), "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  Statement pages(database_.get(), "PRAGMA page_count");
  const bool fully = pages.step() && pages.integer(0) <= kMostPagesFullyChecked;
  Statement integrity(database_.get(),
                      fully ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)");
  if (!integrity.step() || integrity.text(0) != "ok") {
    throw DatabaseError(path_, integrity.text(0), true);
  }
  Transaction transaction(database_.get());
  migrate();
  transaction.commit();
  // A statement that does not fit shows a schema that is not ours.
  for (const char* sql : {kWriteHost, kWriteDay, kWriteOutage, kBeginOutage, kEndOutage}) {
    const Statement prepared(database_.get(), sql);
  }
}

void Store::migrate() {
  const std::int64_t schema = schema_of(database_.get()).value_or(kSchema);
  if (schema < 1 || schema > kSchema)
    throw DatabaseError(path_, fmt::format("has schema {}", schema), true);
  execute(database_.get(), kCreate);
  if (schema <= 1) execute(database_.get(), kFromSchema1);
  if (schema <= 2) execute(database_.get(), kFromSchema2);
  if (schema == 2) execute(database_.get(), "ALTER TABLE exposure ADD COLUMN sum INTEGER");
  execute(database_.get(), kByHand);
  Statement(database_.get(), "INSERT OR REPLACE INTO meta VALUES ('schema', ?)")
      .bind(1, kSchema)
      .run();
}

void Store::write(const StoreContents& contents) {
  Transaction transaction(database_.get());
  execute(database_.get(), "DELETE FROM outage");
  Statement row(database_.get(), kWriteOutage);
  for (const StoredOutage& outage : contents.outages) {
    row.bind(1, outage.host).bind(2, outage.start);
    outage.end ? row.bind(3, *outage.end) : row.bind_null(3);
    row.bind(4, std::int64_t{outage.observed}).bind(5, outage.cause).run();
  }
  write_records(contents.hosts, contents.days);
  write_clock(contents.last_round(), contents.clock);
  transaction.commit();
}

void Store::write_records(const std::vector<HostRecord>& records,
                          const std::vector<HostDay>& days) {
  Statement host(database_.get(), kWriteHost);
  for (const HostRecord& record : records) {
    host.bind(1, record.name).bind(2, std::int64_t{record.seen}).bind(3, std::int64_t{record.up});
    host.bind(4, record.since).bind(5, std::int64_t{record.misses_in_row});
    host.bind(6, static_cast<std::int64_t>(record.misses));
    host.bind(7, record.method).bind(8, record.estimate).run();
  }
  Statement day(database_.get(), kWriteDay);
  for (const HostDay& row : days) {
    day.bind(1, row.host).bind(2, row.day.day).bind(3, row.day.up_seconds);
    day.bind(4, static_cast<std::int64_t>(row.day.outages)).run();
  }
}

void Store::write_clock(double last_round, const ClockMark& clock) {
  Statement meta(database_.get(), kWriteClock);
  meta.bind(1, last_round).bind(2, clock.last.running).bind(3, clock.last.boot);
  meta.bind(4, clock.even).run();
}

void Store::save(const std::vector<HostRecord>& records, const std::vector<Transition>& transitions,
                 double last_round, const std::vector<HostDay>& days, const ClockMark& clock) {
  Transaction transaction(database_.get());
  write_records(records, days);
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
  write_clock(last_round, clock);
  transaction.commit();
}

void Store::forget_before(double time, std::int64_t first_day) {
  Statement(database_.get(), "DELETE FROM outage WHERE end < ?").bind(1, time).run();
  Statement(database_.get(), "DELETE FROM exposure WHERE day < ?").bind(1, first_day).run();
}

}  // namespace tofa::health
