// SPDX-License-Identifier: BSD-3-Clause
// The topology file that the gateway hands out, read again only when it has changed, with its
// fingerprint, by which those who have it already know it, and signed where there is a key.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <ctime>
#include <mutex>
#include <string>
#include <string_view>

#include "common/signature.hpp"

namespace tofa::health {

// What goes into one answer in any case; 10,000 nodes with coordinates and attributes are 1 MB.
inline constexpr std::size_t kLargestTopology = std::size_t{16} << 20;

struct TopologyAnswer {
  bool unchanged = false;  // the text is the fingerprint that was asked about
  std::string text;
  std::string signature;  // empty: it is not signed
};

class TopologySource {
 public:
  // Without a path every answer is an empty text: none is handed out.
  explicit TopologySource(std::string path, Sign sign = {})
      : path_(std::move(path)), sign_(std::move(sign)) {}

  // For somebody who has the text of that fingerprint; empty: none. Throws tofa::Error when the
  // file cannot be read or is no topology. May be called from any thread.
  TopologyAnswer answer(std::string_view known, std::time_t now);

 private:
  void read();

  std::string path_;
  Sign sign_;
  std::mutex mutex_;
  struct stat read_ {};  // what the file looked like when it was read
  bool is_read_ = false;
  std::string text_;
  std::string fingerprint_;
};

}  // namespace tofa::health
