// SPDX-License-Identifier: BSD-3-Clause
// A transition either adds an outage at the end or ends the one of its host that lasts.
#include "healthd/history.hpp"

#include <algorithm>

namespace tofa::health {

void History::apply(const Transition& transition) {
  if (!transition.outage) return;
  if (transition.up) {
    for (PastOutage& outage : outages_) {
      if (outage.host != transition.host || outage.end != 0) continue;
      // Also where the clock has been set back since it began.
      outage.end = std::max(outage.start, transition.time);
    }
    return;
  }
  outages_.push_back({transition.host, transition.time, 0, transition.cause});
  if (outages_.size() > kMost) outages_.pop_front();
}

void History::insert(const PastOutage& outage) {
  const auto later =
      std::upper_bound(outages_.begin(), outages_.end(), outage.start,
                       [](double start, const PastOutage& other) { return start < other.start; });
  outages_.insert(later, outage);
  if (outages_.size() > kMost) outages_.pop_front();
}

// Names that the host had before that one come along.
void History::rename(const Change& merge) {
  if (merge.kind != ChangeKind::merge) return;
  for (PastOutage& outage : outages_) {
    if (outage.host == merge.host && outage.start < merge.time) outage.host = merge.into;
  }
  const auto before = names_.extract(merge.host);
  std::vector<FormerName>& names = names_[merge.into];
  if (!before.empty()) names.insert(names.end(), before.mapped().begin(), before.mapped().end());
  names.push_back({merge.host, merge.time, merge.user, merge.reason});
}

void History::tell(Snapshot& snapshot) const {
  snapshot.outages = latest();
  if (names_.empty()) return;
  for (SnapshotHost& host : snapshot.hosts) {
    if (const auto found = names_.find(host.host); found != names_.end()) host.was = found->second;
  }
}

}  // namespace tofa::health
