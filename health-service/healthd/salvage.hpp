// SPDX-License-Identifier: BSD-3-Clause
// A damaged database: its files are renamed, never changed or deleted, and read as far as they can
// be.
#pragma once

#include <string>

#include "healthd/store_contents.hpp"

namespace tofa::health {

// Renames a database and what SQLite keeps beside it. Returns the new name, `path` with .damaged-
// and the time. Throws tofa::Error.
std::string set_aside(const std::string& path);

// Nothing where it is no database at all. Never throws.
StoreContents salvage(const std::string& path);

// Copies a database, with its write-ahead log, into another one. SQLite cannot read it where it can
// make no files beside it, so this goes by way of a copy elsewhere. Throws DatabaseError.
void copy_unwritable(const std::string& path, sqlite3* to);

}  // namespace tofa::health
