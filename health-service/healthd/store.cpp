// SPDX-License-Identifier: BSD-3-Clause
// The schema, and one transaction for everything that is saved at a time. A lock file keeps a
// second daemon away, which SQLite's own locks would let in between two transactions.
#include "healthd/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "healthd/sqlite.hpp"
#include "tofa/error.hpp"

namespace tofa::health {
namespace {

constexpr std::int64_t kSchema = 1;

constexpr const char* kCreate = R"(
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS host (
  name TEXT PRIMARY KEY, seen INTEGER NOT NULL, up INTEGER NOT NULL, since REAL NOT NULL,
  misses_in_row INTEGER NOT NULL, misses INTEGER NOT NULL, method TEXT NOT NULL, estimate TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outage (
  host TEXT NOT NULL, start REAL NOT NULL, end REAL, observed INTEGER NOT NULL DEFAULT 1);
CREATE INDEX IF NOT EXISTS outage_host ON outage (host, start);
CREATE INDEX IF NOT EXISTS outage_end ON outage (end);
)";

constexpr const char* kRemedy =
    "stop all tofa-healthd, then restore a backup, or move the file away to start with an empty "
    "history";

// Ends an outage, also where the clock has been set back since it began.
constexpr const char* kEndOutage =
    "UPDATE outage SET end = max(start, ?1), observed = ?2 WHERE end IS NULL AND (?3 = '' OR host "
    "= ?3)";

}  // namespace

Store::Store(const std::string& path) : path_(path) {
  lock();
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
  close_open_outages();
}

// Two daemons on one database would overwrite each other's estimates.
void Store::lock() {
  const std::string file = path_ + ".lock";
  lock_.reset(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock_) {
    throw Error(ErrorKind::unavailable, file, 0,
                fmt::format("cannot create: {}; the folder of [state] database must exist and be "
                            "writable",
                            std::strerror(errno)));
  }
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
    Statement schema(database_.get(), "SELECT value FROM meta WHERE key = 'schema'");
    if (schema.step() && schema.integer(0) != kSchema) {
      throw Error(
          ErrorKind::unavailable, path_, 0,
          fmt::format("has schema {}, this tofa-healthd knows {}", schema.integer(0), kSchema));
    }
    Statement(database_.get(), "INSERT OR REPLACE INTO meta VALUES ('schema', ?)")
        .bind(1, kSchema)
        .run();
    transaction.commit();
  } catch (const Error& error) {
    throw Error(ErrorKind::unavailable, fmt::format("{}; {}", error.what(), kRemedy));
  }
}

void Store::close_open_outages() {
  Transaction transaction(database_.get());
  Statement last_round(database_.get(), "SELECT value FROM meta WHERE key = 'last_round'");
  const double end = last_round.step() ? last_round.number(0) : 0;
  Statement(database_.get(), kEndOutage).bind(1, end).bind(2, std::int64_t{0}).bind(3, "").run();
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

void Store::save(const std::vector<HostRecord>& records, const std::vector<Transition>& transitions,
                 double last_round) {
  Transaction transaction(database_.get());
  Statement host(database_.get(), "INSERT OR REPLACE INTO host VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (const HostRecord& record : records) {
    host.bind(1, record.name).bind(2, std::int64_t{record.seen}).bind(3, std::int64_t{record.up});
    host.bind(4, record.since).bind(5, std::int64_t{record.misses_in_row});
    host.bind(6, static_cast<std::int64_t>(record.misses));
    host.bind(7, record.method).bind(8, record.estimate).run();
  }
  Statement begin(database_.get(), "INSERT INTO outage (host, start) VALUES (?, ?)");
  Statement end(database_.get(), kEndOutage);
  for (const Transition& transition : transitions) {
    if (transition.up) {
      end.bind(1, transition.time).bind(2, std::int64_t{1}).bind(3, transition.host).run();
    } else {
      begin.bind(1, transition.host).bind(2, transition.time).run();
    }
  }
  Statement(database_.get(), "INSERT OR REPLACE INTO meta VALUES ('last_round', ?)")
      .bind(1, last_round)
      .run();
  transaction.commit();
}

void Store::forget_before(double time) {
  Statement(database_.get(), "DELETE FROM outage WHERE end < ?").bind(1, time).run();
}

}  // namespace tofa::health
