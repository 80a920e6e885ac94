// SPDX-License-Identifier: BSD-3-Clause
// The snapshot as a file: what tofa-healthd knows after a round of observations, for
// tofa-pmix-gateway to hand out. The file never changes: each round replaces it as a whole. Its
// text is described in tofa/health_snapshot.hpp.
#pragma once

#include <string>

#include "tofa/health_snapshot.hpp"

namespace tofa::health {

// Throws tofa::Error.
Snapshot read_snapshot(const std::string& path);

// Atomically: a temporary file, then a rename. Throws tofa::Error.
void write_snapshot(const Snapshot& snapshot, const std::string& path);

}  // namespace tofa::health
