// SPDX-License-Identifier: BSD-3-Clause
// The traffic of jobs that was worked out lately, of which a log of a million jobs has more than
// fits in memory: what was not asked for the longest is worked out again.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tofa/job_traffic.hpp"

namespace tofa {

class KeptTraffic {
 public:
  explicit KeptTraffic(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  struct Entry {
    std::string key;
    std::unique_ptr<const NodeTraffic> traffic;  // null: there is none, which is known, too
    std::size_t bytes;
  };
  // Null where it is not known. Valid until the next keep().
  const Entry* find(std::string_view key);
  // Of a key that is not known. It is there until the next keep(), however large it is.
  const NodeTraffic* keep(std::string key, std::unique_ptr<const NodeTraffic> traffic);

 private:
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::list<Entry> entries_;  // the last that was asked for first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
};

}  // namespace tofa
