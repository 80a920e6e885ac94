// SPDX-License-Identifier: BSD-3-Clause
// Turns every error code of SQLite into an exception at the call that got it.
#include "healthd/sqlite.hpp"

#include <fmt/format.h>

#include "common/fnv.hpp"

namespace tofa::health {
namespace {

// Our statements are right, so that one which the database cannot make sense of meets a schema that
// is not ours.
Trouble trouble_of(int code) {
  switch (code & 0xff) {
    case SQLITE_ERROR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_SCHEMA:
    case SQLITE_TOOBIG:
    case SQLITE_RANGE:
      return Trouble::damage;
    default:
      return Trouble::passing;
  }
}

// Over types and values.
class Checksum {
 public:
  void add(const void* data, std::size_t size) { sum_ = fnv(data, size, sum_); }
  void add(sqlite3_value* value) {
    const int type = ::sqlite3_value_type(value);
    add(&type, sizeof type);
    if (type == SQLITE_INTEGER) {
      const std::int64_t integer = ::sqlite3_value_int64(value);
      add(&integer, sizeof integer);
    } else if (type == SQLITE_FLOAT) {
      const double number = ::sqlite3_value_double(value);
      add(&number, sizeof number);
    } else if (const auto* text = ::sqlite3_value_text(value)) {
      add(text, static_cast<std::size_t>(::sqlite3_value_bytes(value)));
    }
  }
  std::int64_t sum() const { return static_cast<std::int64_t>(sum_); }

 private:
  std::uint64_t sum_ = kFnvOfNothing;
};

void checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  Checksum sum;
  for (int i = 0; i < count; ++i) sum.add(values[i]);
  ::sqlite3_result_int64(context, sum.sum());
}

}  // namespace

void fail_sqlite(sqlite3* database, const std::string& doing) {
  const char* file = ::sqlite3_db_filename(database, "main");
  const Trouble trouble = trouble_of(::sqlite3_extended_errcode(database));
  throw DatabaseError(file == nullptr ? "database" : file,
                      fmt::format("{}: {}", doing, ::sqlite3_errmsg(database)), trouble);
}

Database open_database(const std::string& path, int flags) {
  sqlite3* opened = nullptr;
  const int code = ::sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  Database database(opened, &::sqlite3_close_v2);
  if (code != SQLITE_OK) {
    throw DatabaseError(path,
                        fmt::format("cannot open the database: {}; [state] database names it",
                                    ::sqlite3_errmsg(opened)),
                        trouble_of(code));
  }
  ::sqlite3_busy_timeout(opened, 2000);
  ::sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  ::sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_create_function(opened, "checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                            &checksum, nullptr, nullptr);
  return database;
}

void keep_for_good(sqlite3* database) {
  ::sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
}

void execute(sqlite3* database, const char* sql) {
  if (::sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail_sqlite(database, sql);
  }
}

Statement::Statement(sqlite3* database, const char* sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  if (::sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) != SQLITE_OK) {
    fail_sqlite(database, sql);
  }
  statement_.reset(statement);
}

void Statement::check(int code) {
  if (code != SQLITE_OK) fail_sqlite(database_, ::sqlite3_sql(statement_.get()));
}

Statement& Statement::bind(int parameter, const std::string& value) {
  check(::sqlite3_bind_text(statement_.get(), parameter, value.c_str(),
                            static_cast<int>(value.size()), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  check(::sqlite3_bind_double(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(::sqlite3_bind_int64(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  check(::sqlite3_bind_null(statement_.get(), parameter));
  return *this;
}

bool Statement::step() {
  const int code = ::sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) check(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  check(::sqlite3_reset(statement_.get()));
}

std::string Statement::text(int column) const {
  const auto* value = ::sqlite3_column_text(statement_.get(), column);
  const int size = ::sqlite3_column_bytes(statement_.get(), column);
  return value == nullptr
             ? std::string()
             : std::string(reinterpret_cast<const char*>(value), static_cast<std::size_t>(size));
}

Transaction::Transaction(sqlite3* database) : database_(database) {
  execute(database_, "BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // SQLite may have rolled back by itself, after which this does nothing.
  if (open_) ::sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  execute(database_, "COMMIT");
  open_ = false;
}

}  // namespace tofa::health
