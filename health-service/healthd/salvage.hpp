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

}  // namespace tofa::health
