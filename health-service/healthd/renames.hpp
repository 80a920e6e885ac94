// SPDX-License-Identifier: BSD-3-Clause
// What hosts are called now. A host that gets another name is another one to all sources; an admin
// who merges the two has what was recorded under the old name count for the new one. Rows keep the
// name that they were written with, and the change that merges them is a row of its own: which
// outages are whose follows from both. Pure.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "healthd/exclusions.hpp"

namespace tofa::health {

class Renames {
 public:
  // In the order in which they were made; others than merges are passed over.
  void apply(const Change& change);

  // What the host is called now that was called `name` at `time`. A name that is used again later
  // is that of another host.
  const std::string& name_now(const std::string& name, double time) const;

  // All names under which something of the host may be recorded that is called `name` now,
  // beginning with that; at some times they may have been those of others.
  std::vector<std::string> names_of(const std::string& name) const;
  // The one of these that it had at `time`.
  std::string name_then(const std::string& name, double time) const;

 private:
  struct Rename {
    double time;
    std::string into;
  };
  std::unordered_map<std::string, std::vector<Rename>> renames_;  // by old name
};

// How the database has the reason of a change: that of a merge begins with the new name and a
// colon. from_stored_reason() is false for what cannot be one.
std::string stored_reason(const Change& change);
bool from_stored_reason(std::string_view stored, Change& change);

}  // namespace tofa::health
