// SPDX-License-Identifier: BSD-3-Clause
// A host may get a new name several times: each is followed from the time of the one before.
#include "healthd/renames.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tofa/host_index.hpp"

namespace tofa::health {
namespace {

constexpr std::string_view kAfterName = ": ";

}  // namespace

void Renames::apply(const Change& change) {
  if (change.kind == ChangeKind::merge) {
    renames_[change.host].push_back({change.time, change.into});
  }
}

const std::string& Renames::name_now(const std::string& name, double time) const {
  const std::string* now = &name;
  for (auto old = renames_.find(name); old != renames_.end(); old = renames_.find(*now)) {
    const auto& renames = old->second;
    const auto next = std::find_if(renames.begin(), renames.end(),
                                   [time](const Rename& rename) { return rename.time > time; });
    if (next == renames.end()) break;
    now = &next->into;
    time = next->time;
  }
  return *now;
}

std::vector<std::string> Renames::names_of(const std::string& name) const {
  std::vector<std::string> names{name};
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const auto& [old, renames] : renames_) {
      const bool led_here = std::any_of(renames.begin(), renames.end(), [&](const Rename& rename) {
        return rename.into == names[i];
      });
      if (led_here && std::find(names.begin(), names.end(), old) == names.end()) {
        names.push_back(old);
      }
    }
  }
  return names;
}

std::string Renames::name_then(const std::string& name, double time) const {
  for (const std::string& then : names_of(name)) {
    if (name_now(then, time) == name) return then;
  }
  return name;
}

std::string stored_reason(const Change& change) {
  if (change.kind != ChangeKind::merge) return change.reason;
  return fmt::format("{}{}{}", change.into, kAfterName, change.reason);
}

bool from_stored_reason(std::string_view stored, Change& change) {
  change.reason = stored;
  if (change.kind != ChangeKind::merge) return true;
  const std::size_t end = stored.find(kAfterName);
  if (end == std::string_view::npos || !is_host_name(stored.substr(0, end))) return false;
  change.into = stored.substr(0, end);
  change.reason = stored.substr(end + kAfterName.size());
  return true;
}

}  // namespace tofa::health
