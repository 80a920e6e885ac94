// SPDX-License-Identifier: BSD-3-Clause
// The newest snapshot, read again only when the file has changed.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <mutex>
#include <string>

#include "common/snapshot.hpp"

namespace tofa::health {

class SnapshotSource {
 public:
  explicit SnapshotSource(std::string path) : path_(std::move(path)) {}

  // Throws tofa::Error when there is no well-formed snapshot. May be called from any thread.
  std::shared_ptr<const Snapshot> get();

 private:
  std::string path_;
  std::mutex mutex_;
  struct stat read_ {};  // what the file looked like when it was read
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace tofa::health
