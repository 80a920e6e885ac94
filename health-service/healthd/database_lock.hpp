// SPDX-License-Identifier: BSD-3-Clause
// One daemon for one database: two would overwrite each other's estimates, and SQLite's own locks
// would let the second in between two transactions. The lock is on the database's file itself,
// whatever path it was reached by: symbolic links, hard links and mounts all lead to one file.
#pragma once

#include <string>

#include "tofa/file_descriptor.hpp"

namespace tofa::health {

// Creates the file where there is none, keeps it from other users, and locks it until the
// descriptor is closed. It must stay open for as long as SQLite has the file: closing any
// descriptor of a file ends the locks that SQLite has on it. Throws DatabaseError.
FileDescriptor lock_database(const std::string& path);

// Whether it is the file at `path` that `lock` locks; it may have been replaced since.
bool is_locked(const std::string& path, const FileDescriptor& lock);

// Who can read the files beside a database can lock them, and with that stop all saving. SQLite
// gives them the database's mode; those of an earlier version of this program may be there already.
// Before SQLite opens them. Throws DatabaseError.
void make_logs_private(const std::string& path);

}  // namespace tofa::health
