// SPDX-License-Identifier: BSD-3-Clause
// What is known after the database has been damaged, or has lost its last changes: what could still
// be read, and what the last snapshot tells beyond that. A snapshot has each host's state and
// probability, its rate, and the latest outages; from a rate follows for how long its host was seen
// up. Pure: no clock, no disk.
#pragma once

#include "common/snapshot.hpp"
#include "healthd/store_contents.hpp"

namespace tofa::health {

// Whether the snapshot tells of outages that began or ended after the last round in the database:
// it was published later. False where the database has no round, since it is new.
bool lacks_changes(const StoreContents& contents, const Snapshot& published);

StoreContents recover(StoreContents contents, const Snapshot& published);

// What is on the disk and what was kept in memory while it could not be reached, of the same
// database: nothing of either is lost, and memory is newer.
StoreContents merge(StoreContents disk, const StoreContents& memory);

}  // namespace tofa::health
