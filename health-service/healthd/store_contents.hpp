// SPDX-License-Identifier: BSD-3-Clause
// All that the database knows, as values. Whoever reads rows gets those only that can be true: of
// the right types, with names that are names, finite numbers within their ranges, estimates that
// their method takes, and the checksum they were written with. Rows that people wrote have none.
#pragma once

#include <sqlite3.h>

#include <optional>
#include <string>
#include <vector>

#include "healthd/clock_watch.hpp"
#include "healthd/exclusions.hpp"
#include "healthd/fleet.hpp"

namespace tofa::health {

// Seconds since 1970 beyond which no time can be true.
inline constexpr double kLatestTime = 1e11;

struct StoredOutage {
  std::string host;
  double start = 0;           // in seconds since 1970
  std::optional<double> end;  // nothing while it lasts
  bool observed = true;       // false: it ended while nobody looked
  std::string cause = "heartbeat";
  friend bool operator==(const StoredOutage&, const StoredOutage&) = default;
};

struct StoreContents {
  std::vector<HostRecord> hosts;
  std::vector<HostDay> days;          // by host and day
  std::vector<StoredOutage> outages;  // in the order in which they began, of hosts as they are
                                      // called now (healthd/renames.hpp)
  std::vector<Change> changes;        // by admins, in the order in which they were made
  ClockMark clock;                    // `last.wall`: the last round; 0 when there was none

  double last_round() const { return clock.last.wall; }
  // The latest, in the order in which they began.
  std::vector<PastOutage> latest_outages(std::size_t most) const;
  // The hosts whose outages last.
  std::vector<std::string> lasting_outages() const;
  // Of hosts with an outage since the last round, which somebody imported: that they have started
  // anew is no other outage.
  void forget_known_restarts();
};

// All rows. Throws DatabaseError, which is damage at the first row that cannot be true.
StoreContents read_contents(sqlite3* database);

// The rows that can be read and can be true, from a database with any damage. Never throws.
StoreContents salvage_contents(sqlite3* database);

}  // namespace tofa::health
