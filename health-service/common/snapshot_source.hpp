// SPDX-License-Identifier: BSD-3-Clause
// The newest snapshot, read again only when the file has changed, and its text as an answer,
// signed where there is a key.
#pragma once

#include <sys/stat.h>

#include <ctime>
#include <memory>
#include <mutex>
#include <string>

#include "common/signature.hpp"
#include "common/snapshot.hpp"

namespace tofa::health {

struct SnapshotText {
  std::string text;
  std::string signature;  // empty: it is not signed
};

class SnapshotSource {
 public:
  explicit SnapshotSource(std::string path, Sign sign = {})
      : path_(std::move(path)), sign_(std::move(sign)) {}

  // Throws tofa::Error when there is no well-formed snapshot. May be called from any thread.
  std::shared_ptr<const Snapshot> get();

  // The snapshot's text with `now` as its time. A snapshot that tofa-healthd has not replaced for
  // long must look old, whatever the clock of whoever asked says. Those who ask within the same
  // second get the same text. As get().
  std::shared_ptr<const SnapshotText> text(std::time_t now);

 private:
  std::shared_ptr<const Snapshot> current();

  std::string path_;
  Sign sign_;
  std::mutex mutex_;
  struct stat read_ {};  // what the file looked like when it was read
  std::shared_ptr<const Snapshot> snapshot_;
  std::time_t text_time_ = 0;
  std::shared_ptr<const SnapshotText> text_;  // of snapshot_ at text_time_; may be null
};

}  // namespace tofa::health
