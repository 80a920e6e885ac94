// SPDX-License-Identifier: BSD-3-Clause
// One description per table: how it is read, what a row of it is, and which rows are the same one.
// A damaged table is read from both ends, up to the damage.
#include "healthd/store_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "healthd/renames.hpp"
#include "healthd/sqlite.hpp"
#include "tofa/health_control.hpp"
#include "tofa/host_index.hpp"
#include "tofa/outage_cause.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr double kLongestDay = 400 * kDay;  // a clock that is set back again and again
constexpr std::int64_t kMostOutagesOfADay = 1'000'000;
constexpr std::int64_t kMostMissesInRow = 1'000'000'000;
constexpr std::int64_t kMostMisses = 1'000'000'000'000'000;
constexpr std::size_t kLongestEstimate = 1'000'000;
constexpr std::size_t kLongestBootId = 64;
constexpr std::int64_t kHighestUid = 0xffffffff;

bool in_range(const Statement& row, int column, std::int64_t most) {
  return row.is(column, SQLITE_INTEGER) && row.integer(column) >= 0 && row.integer(column) <= most;
}

bool in_range(const Statement& row, int column, double most) {
  return (row.is(column, SQLITE_FLOAT) || row.is(column, SQLITE_INTEGER)) &&
         std::isfinite(row.number(column)) && row.number(column) >= 0 && row.number(column) <= most;
}

bool is_name(const Statement& row, int column) {
  return row.is(column, SQLITE_TEXT) && is_host_name(row.text(column));
}

// What a method that this version does not know wrote is for another version to judge.
bool is_estimate(const std::string& method, const std::string& estimate) {
  if (estimate.size() > kLongestEstimate) return false;
  std::unique_ptr<Estimator> estimator;
  try {
    estimator = make_estimator({.method = method});
  } catch (const Error&) {
    return true;
  }
  try {
    estimator->restore(estimate);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The last column of each table's rows: whether the checksum is right, or missing.
struct HostTable {
  using Row = HostRecord;
  static constexpr const char* kSelect =
      "SELECT name, seen, up, since, misses_in_row, misses, method, estimate, boot, sum IS NULL OR "
      "sum = checksum(name, seen, up, since, misses_in_row, misses, method, estimate, boot) FROM "
      "host";
  // Of a damaged database that is older than boots are kept.
  static constexpr const char* kSelectOlder =
      "SELECT name, seen, up, since, misses_in_row, misses, method, estimate, 0, sum IS NULL OR "
      "sum = checksum(name, seen, up, since, misses_in_row, misses, method, estimate) FROM host";
  static constexpr const char* kOrder = "name";

  static std::optional<Row> row(const Statement& row) {
    const bool plausible = is_name(row, 0) && in_range(row, 1, std::int64_t{1}) &&
                           in_range(row, 2, std::int64_t{1}) && in_range(row, 3, kLatestTime) &&
                           in_range(row, 4, kMostMissesInRow) && in_range(row, 5, kMostMisses) &&
                           is_name(row, 6) && is_estimate(row.text(6), row.text(7)) &&
                           row.is(8, SQLITE_INTEGER) && row.integer(9) == 1;
    if (!plausible) return std::nullopt;
    return Row{.name = row.text(0),
               .seen = row.integer(1) != 0,
               .up = row.integer(2) != 0,
               .since = row.number(3),
               .misses_in_row = static_cast<unsigned>(row.integer(4)),
               .misses = static_cast<std::uint64_t>(row.integer(5)),
               .method = row.text(6),
               .estimate = row.text(7),
               .boot = static_cast<std::uint64_t>(row.integer(8))};
  }
  static std::string key(const Row& row) { return row.name; }
};

struct DayTable {
  using Row = HostDay;
  static constexpr const char* kSelect =
      "SELECT host, day, up_seconds, outages, sum IS NULL OR sum = "
      "checksum(host, day, up_seconds, outages) FROM exposure";
  static constexpr const char* kOrder = "host, day";

  static std::optional<Row> row(const Statement& row) {
    const bool plausible = is_name(row, 0) &&
                           in_range(row, 1, static_cast<std::int64_t>(kLatestTime / kDay)) &&
                           in_range(row, 2, kLongestDay) && in_range(row, 3, kMostOutagesOfADay) &&
                           row.integer(4) == 1;
    if (!plausible) return std::nullopt;
    return Row{row.text(0),
               {.day = row.integer(1),
                .up_seconds = row.number(2),
                .outages = static_cast<std::uint64_t>(row.integer(3))}};
  }
  static std::pair<std::string, std::int64_t> key(const Row& row) {
    return {row.host, row.day.day};
  }
};

struct OutageTable {
  using Row = StoredOutage;
  static constexpr const char* kSelect =
      "SELECT host, start, end, observed, cause, sum IS NULL OR sum = "
      "checksum(host, start, end, observed, cause) FROM outage";
  static constexpr const char* kOrder = "rowid";

  static std::optional<Row> row(const Statement& row) {
    const bool lasts = row.is(2, SQLITE_NULL);
    const bool plausible =
        is_name(row, 0) && in_range(row, 1, kLatestTime) &&
        (lasts || (in_range(row, 2, kLatestTime) && row.number(2) >= row.number(1))) &&
        in_range(row, 3, std::int64_t{1}) && row.is(4, SQLITE_TEXT) && is_cause(row.text(4)) &&
        row.integer(5) == 1;
    if (!plausible) return std::nullopt;
    return Row{row.text(0), row.number(1), lasts ? std::nullopt : std::optional(row.number(2)),
               row.integer(3) != 0, row.text(4)};
  }
  static std::pair<double, std::string> key(const Row& row) { return {row.start, row.host}; }
};

bool is_text(const Statement& row, int column, std::size_t longest) {
  if (!row.is(column, SQLITE_TEXT)) return false;
  const std::string text = row.text(column);
  const auto control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  return text.size() <= longest && find_invalid_utf8(text) == std::string::npos &&
         std::none_of(text.begin(), text.end(), control);
}

struct ChangeTable {
  using Row = Change;
  static constexpr const char* kSelect =
      "SELECT id, time, uid, user, action, host, reason, start, end, sum IS NULL OR sum = "
      "checksum(time, uid, user, action, host, reason, start, end) FROM change";
  static constexpr const char* kOrder = "id";

  static std::optional<Row> row(const Statement& row) {
    const bool endless = row.is(8, SQLITE_NULL);
    const bool plausible =
        in_range(row, 0, std::numeric_limits<std::int64_t>::max()) &&
        in_range(row, 1, kLatestTime) && in_range(row, 2, kHighestUid) &&
        is_text(row, 3, kLongestReason) && is_text(row, 4, kLongestReason) && is_name(row, 5) &&
        is_text(row, 6, kLongestHostName + 2 + kLongestReason) && in_range(row, 7, kLatestTime) &&
        (endless || (in_range(row, 8, kLatestTime) && row.number(8) >= row.number(7))) &&
        row.integer(9) == 1;
    const auto kind = change_kind(plausible ? row.text(4) : "");
    if (!kind) return std::nullopt;
    Row change{.id = row.integer(0),
               .time = row.number(1),
               .uid = row.integer(2),
               .user = row.text(3),
               .kind = *kind,
               .host = row.text(5),
               .start = row.number(7),
               .end = endless ? std::nullopt : std::optional(row.number(8))};
    if (!from_stored_reason(row.text(6), change)) return std::nullopt;
    return change;
  }
  static std::int64_t key(const Row& row) { return row.id; }
};

std::string file_of(sqlite3* database) {
  const char* file = ::sqlite3_db_filename(database, "main");
  return file == nullptr ? "database" : file;
}

template <class Table>
void read_table(sqlite3* database, std::vector<typename Table::Row>& rows) {
  Statement statement(database,
                      fmt::format("{} ORDER BY {}", Table::kSelect, Table::kOrder).c_str());
  while (statement.step()) {
    auto row = Table::row(statement);
    if (!row) {
      throw DatabaseError(
          file_of(database),
          fmt::format("row {} of \"{}\" cannot be true", rows.size() + 1, Table::kSelect),
          Trouble::damage);
    }
    rows.push_back(std::move(*row));
  }
}

template <class Table>
void salvage_table(sqlite3* database, std::vector<typename Table::Row>& rows,
                   const char* select = Table::kSelect) {
  std::map<decltype(Table::key(std::declval<typename Table::Row>())), typename Table::Row> found;
  for (const char* direction : {"ASC", "DESC"}) {
    std::string order = Table::kOrder;
    if (const auto comma = order.find(','); comma != std::string::npos) {
      order.insert(comma, fmt::format(" {}", direction));
    }
    try {
      Statement statement(database,
                          fmt::format("{} ORDER BY {} {}", select, order, direction).c_str());
      while (statement.step()) {
        if (auto row = Table::row(statement)) found.try_emplace(Table::key(*row), std::move(*row));
      }
    } catch (const Error&) {
      continue;  // the damage is reached, or the table is not there
    }
  }
  for (auto& [key, row] : found) rows.push_back(std::move(row));
}

double number_of(sqlite3* database, const char* key, double most) {
  Statement row(database, "SELECT value FROM meta WHERE key = ?");
  row.bind(1, key);
  if (!row.step()) return 0;
  if (!in_range(row, 0, most)) {
    throw DatabaseError(file_of(database), fmt::format("\"{}\" cannot be true", key),
                        Trouble::damage);
  }
  return row.number(0);
}

ClockMark read_clock(sqlite3* database) {
  ClockMark mark;
  mark.last.wall = number_of(database, "last_round", kLatestTime);
  mark.last.running = number_of(database, "clock_running", kLatestTime);
  mark.even = number_of(database, "clock_even", kLatestTime);
  Statement boot(database, "SELECT value FROM meta WHERE key = 'clock_boot'");
  if (boot.step() && boot.text(0).size() <= kLongestBootId) mark.last.boot = boot.text(0);
  return mark;
}

// Outages under the names that hosts have now.
void rename_hosts(StoreContents& contents) {
  Renames renames;
  for (const Change& change : contents.changes) renames.apply(change);
  for (StoredOutage& outage : contents.outages) {
    outage.host = std::string(renames.name_now(outage.host, outage.start));
  }
}

}  // namespace

std::vector<PastOutage> StoreContents::latest_outages(std::size_t most) const {
  std::vector<PastOutage> latest;
  for (std::size_t i = outages.size() - std::min(most, outages.size()); i < outages.size(); ++i) {
    const StoredOutage& outage = outages[i];
    latest.push_back({outage.host, outage.start, outage.end.value_or(0), outage.cause});
  }
  return latest;
}

std::vector<std::string> StoreContents::lasting_outages() const {
  std::set<std::string> lasting;
  for (const StoredOutage& outage : outages) {
    if (!outage.end) lasting.insert(outage.host);
  }
  return {lasting.begin(), lasting.end()};
}

void StoreContents::forget_known_restarts() {
  std::set<std::string> known;
  for (const StoredOutage& outage : outages) {
    if (outage.end && *outage.end > last_round()) known.insert(outage.host);
  }
  for (HostRecord& record : hosts) {
    if (known.contains(record.name)) record.boot = 0;
  }
}

StoreContents read_contents(sqlite3* database) {
  StoreContents contents;
  read_table<HostTable>(database, contents.hosts);
  read_table<DayTable>(database, contents.days);
  read_table<OutageTable>(database, contents.outages);
  read_table<ChangeTable>(database, contents.changes);
  std::stable_sort(contents.outages.begin(), contents.outages.end(),
                   [](const StoredOutage& a, const StoredOutage& b) { return a.start < b.start; });
  rename_hosts(contents);
  contents.clock = read_clock(database);
  return contents;
}

StoreContents salvage_contents(sqlite3* database) {
  StoreContents contents;
  salvage_table<HostTable>(database, contents.hosts);
  if (contents.hosts.empty()) {
    salvage_table<HostTable>(database, contents.hosts, HostTable::kSelectOlder);
  }
  salvage_table<DayTable>(database, contents.days);
  salvage_table<OutageTable>(database, contents.outages);
  salvage_table<ChangeTable>(database, contents.changes);
  rename_hosts(contents);
  try {
    contents.clock = read_clock(database);
  } catch (const Error&) {
    contents.clock = {};
  }
  contents.clock.even = 0;  // nothing is forgotten soon after such an accident
  return contents;
}

}  // namespace tofa::health
