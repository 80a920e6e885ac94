// SPDX-License-Identifier: BSD-3-Clause
// Turns every error code of SQLite into an exception at the call that got it.
#include "healthd/sqlite.hpp"

#include <fmt/format.h>

#include "tofa/error.hpp"

namespace tofa::health {

void fail_sqlite(sqlite3* database, const std::string& doing) {
  const char* file = ::sqlite3_db_filename(database, "main");
  throw Error(ErrorKind::unavailable, file == nullptr ? "database" : file, 0,
              fmt::format("{}: {}", doing, ::sqlite3_errmsg(database)));
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
