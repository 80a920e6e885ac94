// SPDX-License-Identifier: BSD-3-Clause
// Snapshots on disk: see snapshot.hpp.
#include "common/snapshot.hpp"

#include "tofa/file_io.hpp"

namespace tofa::health {

Snapshot read_snapshot(const std::string& path) {
  return parse_snapshot(read_file(path), path);
}

void write_snapshot(const Snapshot& snapshot, const std::string& path) {
  write_file_atomically(path, format_snapshot(snapshot));
}

}  // namespace tofa::health
