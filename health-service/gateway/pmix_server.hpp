// SPDX-License-Identifier: BSD-3-Clause
// libpmix as a server: set up once per process, answers queries for the snapshot and the topology,
// and is never finalised, since that can hang; the process just ends.
#pragma once

#include <netinet/in.h>

#include <string>

#include "common/snapshot_source.hpp"
#include "common/topology_source.hpp"

namespace tofa::health {

// Starts libpmix in `directory`, where it keeps its files, and returns the private address it
// listens on. Throws tofa::Error. The sources must outlive the process's use of libpmix.
sockaddr_in start_pmix_server(const std::string& directory, SnapshotSource& snapshot,
                              TopologySource& topology);

}  // namespace tofa::health
