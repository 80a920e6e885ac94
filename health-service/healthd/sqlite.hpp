// SPDX-License-Identifier: BSD-3-Clause
// The little of SQLite that the store needs: connections, statements with bound parameters,
// transactions, errors that name the file and tell damage from all that may pass, and a checksum
// that SQL can compute over the columns of a row.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tofa/error.hpp"

namespace tofa::health {

enum class Trouble {
  damage,   // what is in the file is wrong
  refused,  // it is not ours to use, or not where it should be: somebody has to do something
  passing,  // it cannot be read or written now, e.g. because the disk is full
};

class DatabaseError : public Error {
 public:
  DatabaseError(const std::string& file, const std::string& message, Trouble trouble)
      : Error(ErrorKind::unavailable, file, 0, message), trouble_(trouble) {}
  Trouble trouble() const { return trouble_; }

 private:
  Trouble trouble_;
};

// Throws DatabaseError with the database's file name and message.
[[noreturn]] void fail_sqlite(sqlite3* database, const std::string& doing);

using Database = std::unique_ptr<sqlite3, decltype(&::sqlite3_close_v2)>;

// With the SQL function checksum(...). Until keep_for_good() is called, closing it leaves the files
// as they were found. Throws DatabaseError.
Database open_database(const std::string& path, int flags);
void keep_for_good(sqlite3* database);

void execute(sqlite3* database, const char* sql);

class Statement {
 public:
  Statement(sqlite3* database, const char* sql);

  Statement& bind(int parameter, const std::string& value);
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind_null(int parameter);

  // True while there is a row.
  bool step();
  // Runs to the end and makes the statement ready for other parameters.
  void run();

  bool is(int column, int type) const {
    return ::sqlite3_column_type(statement_.get(), column) == type;
  }
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
