// SPDX-License-Identifier: BSD-3-Clause
// The latest outages of all hosts, as the snapshot carries them, and the names that hosts had;
// older outages are in the database only.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/snapshot.hpp"
#include "healthd/exclusions.hpp"
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

  // What is known of a host is known under another name from then on. Other changes than merges are
  // passed over.
  void rename(const Change& merge);

  std::vector<PastOutage> latest() const { return {outages_.begin(), outages_.end()}; }
  // Both, into a snapshot of the hosts.
  void tell(Snapshot& snapshot) const;

 private:
  std::deque<PastOutage> outages_;
  std::unordered_map<std::string, std::vector<FormerName>> names_;  // by the name of now
};

}  // namespace tofa::health
