// SPDX-License-Identifier: BSD-3-Clause
// The table of what admins changed, a row per host and change:
//
//     change(id, time, uid, user, action, host, reason, start, end, sum)
//
// The host of a merge is the one of the old name: healthd/renames.hpp has the new one.
// Rows are added and never altered; the database itself refuses that. An event that somebody enters
// is also a row of the table of outages. What is exported is read in pieces, so that a long history
// holds nothing up. All functions throw DatabaseError.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "healthd/exclusions.hpp"
#include "healthd/renames.hpp"
#include "healthd/store_contents.hpp"

namespace tofa::health {

extern const char* const kCreateChanges;

// One that has an ID and is there already is passed over.
void write_changes(sqlite3* database, const std::vector<Change>& changes);

// An outage of the host that is known, under whatever name it had then, and shares time with one
// from `start` to `end`.
std::optional<StoredOutage> find_overlap(sqlite3* database, const Renames& renames,
                                         const std::string& host, double start, double end);

// The next rows, at most so many, with an ID above `after`. Outages have their row number.
std::vector<std::pair<std::int64_t, StoredOutage>> outages_after(sqlite3* database,
                                                                 std::int64_t after,
                                                                 std::int64_t most);
std::vector<Change> changes_after(sqlite3* database, std::int64_t after, std::int64_t most);

}  // namespace tofa::health
