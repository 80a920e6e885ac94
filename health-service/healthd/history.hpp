// SPDX-License-Identifier: BSD-3-Clause
// The latest outages of all hosts, as the snapshot carries them; older ones are in the database
// only.
#pragma once

#include <deque>
#include <vector>

#include "common/snapshot.hpp"
#include "healthd/fleet.hpp"

namespace tofa::health {

class History {
 public:
  static constexpr std::size_t kMost = 1000;

  History() = default;
  // In the order in which they began.
  explicit History(const std::vector<PastOutage>& outages)
      : outages_(outages.begin(), outages.end()) {}

  // An outage begins or ends.
  void apply(const Transition& transition);
  // One that becomes known when it is over.
  void insert(const PastOutage& outage);

  // What is known of a host is known under another name from now on.
  void rename(const std::string& host, const std::string& into);

  std::vector<PastOutage> latest() const { return {outages_.begin(), outages_.end()}; }

 private:
  std::deque<PastOutage> outages_;
};

}  // namespace tofa::health
