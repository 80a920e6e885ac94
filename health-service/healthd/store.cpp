// SPDX-License-Identifier: BSD-3-Clause
// The schema, and one transaction for everything that is saved at a time.
#include "healthd/store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "healthd/change_table.hpp"
#include "healthd/database_lock.hpp"
#include "healthd/recovery.hpp"
#include "healthd/renames.hpp"
#include "healthd/salvage.hpp"
#include "tofa/error.hpp"

namespace tofa::health {
namespace {

constexpr std::int64_t kSchema = 4;
// A schema number beyond this is damage rather than a version to come.
constexpr std::int64_t kHighestSchema = 1000;
// A full check reads everything twice; beyond this size indexes are not compared with their tables.
constexpr std::int64_t kMostPagesFullyChecked = 65'536;

constexpr const char* kCreate = R"(
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS host (
  name TEXT PRIMARY KEY, seen INTEGER NOT NULL, up INTEGER NOT NULL, since REAL NOT NULL,
  misses_in_row INTEGER NOT NULL, misses INTEGER NOT NULL, method TEXT NOT NULL, estimate TEXT NOT NULL,
  boot INTEGER NOT NULL DEFAULT 0, sum INTEGER) WITHOUT ROWID;
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

// Schema 3 did not know which boot of a host was the last. A row that was damaged stays so.
constexpr const char* kFromSchema3 = R"(
ALTER TABLE host ADD COLUMN boot INTEGER NOT NULL DEFAULT 0;
UPDATE host
  SET sum = checksum(name, seen, up, since, misses_in_row, misses, method, estimate, boot)
  WHERE sum = checksum(name, seen, up, since, misses_in_row, misses, method, estimate);
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
    "boot, sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
    "checksum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9))";
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
      Trouble::refused);
}

}  // namespace

// A symbolic link is followed, so that a damaged database is renamed rather than the link to it.
Store::Store(const std::string& path, const std::optional<Snapshot>& published)
    : path_(std::filesystem::weakly_canonical(path)) {
  try {
    open_on_disk(published);
  } catch (const DatabaseError& error) {
    if (error.trouble() != Trouble::passing) throw;
    open_in_memory(error, published);
  }
}

void Store::open_on_disk(const std::optional<Snapshot>& published) {
  const bool emptied = published && is_empty_file(path_);
  if (!is_locked(path_, lock_)) lock_ = lock_database(path_);
  make_logs_private(path_);
  try {
    open();
    StoreContents contents = read();
    if (emptied) {
      damage_ = path_ + " was empty";
    } else if (published && lacks_changes(contents, *published)) {
      damage_ = path_ + " lacked the last changes";
    }
    if (!damage_.empty()) write(recover(std::move(contents), *published));
  } catch (const DatabaseError& error) {
    database_.reset();
    if (error.trouble() != Trouble::damage) throw;
    begin_anew(error.what(), published);
  }
  keep_for_good(database_.get());
}

// Another user or process may have taken what is on the disk, so it is copied before it is read.
void Store::open_in_memory(const DatabaseError& why, const std::optional<Snapshot>& published) {
  database_.reset();
  only_in_memory_ = why.what();
  database_ = open_database(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!left_ && std::filesystem::exists(path_) && !is_empty_file(path_)) {
    copy_unwritable(path_, database_.get());
  }
  try {
    check();
    if (left_) write(*std::exchange(left_, std::nullopt));
    (void)read();
  } catch (const DatabaseError& error) {
    if (error.trouble() != Trouble::damage) throw;
    StoreContents contents = salvage_contents(database_.get());
    damage_ = fmt::format("{} is damaged ({}); {} hosts and {} outages could be read", path_,
                          error.what(), contents.hosts.size(), contents.outages.size());
    if (published) contents = recover(std::move(contents), *published);
    database_ = open_database(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    check();
    write(contents);
  }
}

void Store::move_to_disk() {
  Store disk;
  disk.path_ = path_;
  disk.lock_ = std::move(lock_);
  try {
    disk.open_on_disk(std::nullopt);
    disk.write(merge(disk.read(), read()));
  } catch (const Error&) {
    disk.database_.reset();
    lock_ = std::move(disk.lock_);
    throw;
  }
  if (disk.damage_.empty()) disk.damage_ = damage_;
  std::swap(database_, disk.database_);
  std::swap(lock_, disk.lock_);
  std::swap(lock_of_damaged_, disk.lock_of_damaged_);
  damage_ = disk.damage_;
  only_in_memory_.clear();
}

void Store::try_disk() {
  if (only_in_memory_.empty()) return;
  try {
    move_to_disk();
  } catch (const Error& error) {
    only_in_memory_ = error.what();
  }
}

void Store::begin_anew(const std::string& damage, const std::optional<Snapshot>& published) {
  // Read where it lies, which takes long: whoever is stopped meanwhile finds it again.
  StoreContents contents = salvage(path_);
  const std::string aside = set_aside(path_);
  lock_of_damaged_ = std::move(lock_);
  damage_ =
      fmt::format("{} was damaged ({}) and is kept as {}; {} hosts and {} outages could be read",
                  path_, damage, aside, contents.hosts.size(), contents.outages.size());
  if (published) contents = recover(std::move(contents), *published);
  left_ = std::move(contents);
  lock_ = lock_database(path_);
  open();
  write(*left_);
  left_.reset();
}

void Store::open() {
  database_ = open_database(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  check();
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
    throw DatabaseError(path_, integrity.text(0), Trouble::damage);
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
    throw DatabaseError(path_, fmt::format("has schema {}", schema), Trouble::damage);
  execute(database_.get(), kCreate);
  execute(database_.get(), kCreateChanges);
  if (schema <= 1) execute(database_.get(), kFromSchema1);
  if (schema <= 2) execute(database_.get(), kFromSchema2);
  if (schema == 2) execute(database_.get(), "ALTER TABLE exposure ADD COLUMN sum INTEGER");
  if (schema <= 3) execute(database_.get(), kFromSchema3);
  execute(database_.get(), kByHand);
  Statement(database_.get(), "INSERT OR REPLACE INTO meta VALUES ('schema', ?)")
      .bind(1, kSchema)
      .run();
}

void Store::write(const StoreContents& contents) {
  Transaction transaction(database_.get());
  execute(database_.get(), "DELETE FROM outage");
  write_outages(contents.outages);
  write_records(contents.hosts, contents.days);
  write_changes(database_.get(), contents.changes);
  write_clock(contents.last_round(), contents.clock);
  transaction.commit();
}

void Store::add(const StoreContents& more) {
  Transaction transaction(database_.get());
  write_outages(more.outages);
  write_records(more.hosts, more.days);
  transaction.commit();
}

void Store::write_outages(const std::vector<StoredOutage>& outages) {
  Statement row(database_.get(), kWriteOutage);
  for (const StoredOutage& outage : outages) {
    row.bind(1, outage.host).bind(2, outage.start);
    outage.end ? row.bind(3, *outage.end) : row.bind_null(3);
    row.bind(4, std::int64_t{outage.observed}).bind(5, outage.cause).run();
  }
}

void Store::write_records(const std::vector<HostRecord>& records,
                          const std::vector<HostDay>& days) {
  Statement host(database_.get(), kWriteHost);
  for (const HostRecord& record : records) {
    host.bind(1, record.name).bind(2, std::int64_t{record.seen}).bind(3, std::int64_t{record.up});
    host.bind(4, record.since).bind(5, std::int64_t{record.misses_in_row});
    host.bind(6, static_cast<std::int64_t>(record.misses));
    host.bind(7, record.method).bind(8, record.estimate);
    host.bind(9, static_cast<std::int64_t>(record.boot)).run();
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
  try_disk();
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

void Store::save_changes(const std::vector<Change>& changes, const std::vector<HostRecord>& records,
                         const std::vector<HostDay>& days) {
  try_disk();
  if (!only_in_memory_.empty()) {
    throw DatabaseError(path_, "nothing can be saved at the moment: " + only_in_memory_,
                        Trouble::passing);
  }
  Transaction transaction(database_.get());
  Statement row(database_.get(), kWriteOutage);
  const Renames renames = names_so_far();
  for (const Change& change : changes) {
    if (change.kind != ChangeKind::event) continue;
    const double end = change.end.value_or(change.time);
    if (const auto known = find_overlap(database_.get(), renames, change.host, change.start, end)) {
      throw Error(ErrorKind::unmet,
                  fmt::format("an outage of {} at that time is known already ({}); nothing was "
                              "changed",
                              change.host, known->cause));
    }
    row.bind(1, renames.name_then(change.host, change.start)).bind(2, change.start).bind(3, end);
    row.bind(4, std::int64_t{1}).bind(5, change.reason).run();
  }
  write_changes(database_.get(), changes);
  for (const Change& change : changes) {
    if (change.kind == ChangeKind::merge) forget_host(change.host);
  }
  write_records(records, days);
  transaction.commit();
}

Renames Store::names_so_far() {
  Renames renames;
  for (const Change& change : health::changes_after(database_.get(), 0, -1)) renames.apply(change);
  return renames;
}

// What was worked out for it has become another's; its outages stay.
void Store::forget_host(const std::string& host) {
  Statement(database_.get(), "DELETE FROM host WHERE name = ?").bind(1, host).run();
  Statement(database_.get(), "DELETE FROM exposure WHERE host = ?").bind(1, host).run();
}

std::vector<std::pair<std::int64_t, StoredOutage>> Store::outages_after(std::int64_t after,
                                                                        std::int64_t most) {
  const Renames renames = names_so_far();
  auto outages = health::outages_after(database_.get(), after, most);
  for (auto& [id, outage] : outages) {
    outage.host = std::string(renames.name_now(outage.host, outage.start));
  }
  return outages;
}

std::vector<Change> Store::changes_after(std::int64_t after, std::int64_t most) {
  return health::changes_after(database_.get(), after, most);
}

void Store::forget_before(double time, std::int64_t first_day) {
  Statement(database_.get(), "DELETE FROM outage WHERE end < ?").bind(1, time).run();
  Statement(database_.get(), "DELETE FROM exposure WHERE day < ?").bind(1, first_day).run();
}

}  // namespace tofa::health
