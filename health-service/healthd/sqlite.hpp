// SPDX-License-Identifier: BSD-3-Clause
// The little of SQLite that the store needs: statements with bound parameters, transactions, errors
// that name the file.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

namespace tofa::health {

// Throws tofa::Error (unavailable) with the database's file name and message.
[[noreturn]] void fail_sqlite(sqlite3* database, const std::string& doing);

void execute(sqlite3* database, const char* sql);

class Statement {
 public:
  Statement(sqlite3* database, const char* sql);

  Statement& bind(int parameter, const std::string& value);
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::int64_t value);

  // True while there is a row.
  bool step();
  // Runs to the end and makes the statement ready for other parameters.
  void run();

  std::string text(int column) const;
  double number(int column) const { return ::sqlite3_column_double(statement_.get(), column); }
  std::int64_t integer(int column) const {
    return ::sqlite3_column_int64(statement_.get(), column);
  }

 private:
  void check(int code);

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, decltype(&::sqlite3_finalize)> statement_{nullptr,
                                                                          &::sqlite3_finalize};
};

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(sqlite3* database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  sqlite3* database_;
  bool open_ = true;
};

}  // namespace tofa::health
