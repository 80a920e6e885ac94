// SPDX-License-Identifier: BSD-3-Clause
// The checksum leaves the ID out, which the database gives.
#include "healthd/change_table.hpp"

#include "healthd/renames.hpp"
#include "healthd/sqlite.hpp"

namespace tofa::health {
namespace {

std::optional<double> number_or_null(const Statement& row, int column) {
  return row.is(column, SQLITE_NULL) ? std::nullopt : std::optional(row.number(column));
}

}  // namespace

const char* const kCreateChanges = R"(
CREATE TABLE IF NOT EXISTS change (
  id INTEGER PRIMARY KEY, time REAL NOT NULL, uid INTEGER NOT NULL, user TEXT NOT NULL,
  action TEXT NOT NULL, host TEXT NOT NULL, reason TEXT NOT NULL, start REAL NOT NULL, end REAL,
  sum INTEGER);
CREATE TRIGGER IF NOT EXISTS change_stays BEFORE UPDATE ON change BEGIN
  SELECT RAISE(ABORT, 'changes are never altered'); END;
CREATE TRIGGER IF NOT EXISTS change_is_kept BEFORE DELETE ON change BEGIN
  SELECT RAISE(ABORT, 'changes are never deleted'); END;
)";

void write_changes(sqlite3* database, const std::vector<Change>& changes) {
  Statement row(database,
                "INSERT OR IGNORE INTO change (id, time, uid, user, action, host, reason, start, "
                "end, sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
                "checksum(?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9))");
  for (const Change& change : changes) {
    change.id > 0 ? row.bind(1, change.id) : row.bind_null(1);
    row.bind(2, change.time).bind(3, change.uid).bind(4, change.user);
    row.bind(5, std::string(name_of(change.kind)))
        .bind(6, change.host)
        .bind(7, stored_reason(change));
    row.bind(8, change.start);
    change.end ? row.bind(9, *change.end) : row.bind_null(9);
    row.run();
  }
}

std::optional<StoredOutage> find_overlap(sqlite3* database, const Renames& renames,
                                         const std::string& host, double start, double end) {
  for (const std::string& name : renames.names_of(host)) {
    Statement row(database,
                  "SELECT start, end, observed, cause FROM outage WHERE host = ?1 AND start <= ?3 "
                  "AND (end IS NULL OR end >= ?2)");
    row.bind(1, name).bind(2, start).bind(3, end);
    while (row.step()) {
      // Another host may have had that name then.
      if (renames.name_now(name, row.number(0)) != host) continue;
      return StoredOutage{host, row.number(0), number_or_null(row, 1), row.integer(2) != 0,
                          row.text(3)};
    }
  }
  return std::nullopt;
}

std::vector<std::pair<std::int64_t, StoredOutage>> outages_after(sqlite3* database,
                                                                 std::int64_t after,
                                                                 std::int64_t most) {
  Statement row(database,
                "SELECT rowid, host, start, end, observed, cause FROM outage WHERE rowid > ? "
                "ORDER BY rowid LIMIT ?");
  row.bind(1, after).bind(2, most);
  std::vector<std::pair<std::int64_t, StoredOutage>> outages;
  while (row.step()) {
    outages.emplace_back(row.integer(0),
                         StoredOutage{row.text(1), row.number(2), number_or_null(row, 3),
                                      row.integer(4) != 0, row.text(5)});
  }
  return outages;
}

std::vector<Change> changes_after(sqlite3* database, std::int64_t after, std::int64_t most) {
  Statement row(database,
                "SELECT id, time, uid, user, action, host, reason, start, end FROM change "
                "WHERE id > ? ORDER BY id LIMIT ?");
  row.bind(1, after).bind(2, most);
  std::vector<Change> changes;
  while (row.step()) {
    changes.push_back({.id = row.integer(0),
                       .time = row.number(1),
                       .uid = row.integer(2),
                       .user = row.text(3),
                       .kind = change_kind(row.text(4)).value_or(ChangeKind::include),
                       .host = row.text(5),
                       .start = row.number(7),
                       .end = number_or_null(row, 8)});
    (void)from_stored_reason(row.text(6), changes.back());
  }
  return changes;
}

}  // namespace tofa::health
