// SPDX-License-Identifier: BSD-3-Clause
// Compares what stat() tells before reading: tofa-healthd replaces the snapshot as a whole, so a
// new one is a new file.
#include "common/snapshot_source.hpp"

#include <cerrno>
#include <cstring>

#include "common/same_file.hpp"
#include "tofa/error.hpp"

namespace tofa::health {
std::shared_ptr<const Snapshot> SnapshotSource::current() {
  struct stat now {};
  if (::stat(path_.c_str(), &now) != 0) {
    throw Error(ErrorKind::unavailable, path_, 0,
                std::string(std::strerror(errno)) +
                    "; is tofa-healthd running, with this as its "
                    "[state] snapshot?");
  }
  if (snapshot_ == nullptr || !same_file(now, read_)) {
    snapshot_ = nullptr;
    text_ = nullptr;
    snapshot_ = std::make_shared<const Snapshot>(read_snapshot(path_));
    read_ = now;
  }
  return snapshot_;
}

std::shared_ptr<const Snapshot> SnapshotSource::get() {
  const std::lock_guard lock(mutex_);
  return current();
}

std::shared_ptr<const SnapshotText> SnapshotSource::text(std::time_t now) {
  const std::lock_guard lock(mutex_);
  const auto snapshot = current();
  if (text_ == nullptr || text_time_ != now) {
    Snapshot answer = *snapshot;
    answer.time = static_cast<double>(now);
    SnapshotText fresh{format_snapshot(answer), {}};
    if (sign_) fresh.signature = sign_(fresh.text, now, kSnapshotText);
    text_ = std::make_shared<const SnapshotText>(std::move(fresh));
    text_time_ = now;
  }
  return text_;
}

}  // namespace tofa::health
