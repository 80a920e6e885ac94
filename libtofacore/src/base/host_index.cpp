// SPDX-License-Identifier: BSD-3-Clause
// Sorted names and binary search: see host_index.hpp.
#include "tofa/host_index.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tofa/error.hpp"

namespace tofa {
namespace {

bool may_be_in_host_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-' || c == '_';
}

std::string_view short_name(std::string_view name) {
  return name.substr(0, name.find('.'));
}

}  // namespace

bool is_host_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestHostName &&
         std::all_of(text.begin(), text.end(), may_be_in_host_name);
}

bool same_host(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '.');
}

HostIndex::HostIndex(std::vector<std::string> names) : names_(std::move(names)) {
  sorted_.reserve(names_.size());
  for (std::uint32_t i = 0; i < names_.size(); ++i) sorted_.emplace_back(names_[i], i);
  std::sort(sorted_.begin(), sorted_.end());
  const auto twin =
      std::adjacent_find(sorted_.begin(), sorted_.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twin != sorted_.end()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("node \"{}\" appears twice; give each node one place", twin->first));
  }
}

std::optional<std::uint32_t> HostIndex::find_exactly(std::string_view name) const {
  const auto it =
      std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{name, std::uint32_t{0}});
  if (it == sorted_.end() || it->first != name) return std::nullopt;
  return it->second;
}

std::optional<std::uint32_t> HostIndex::find(std::string_view name) const {
  if (const auto found = find_exactly(name)) return found;
  if (short_name(name) != name) return find_exactly(short_name(name));
  // A short name finds a qualified one: in sorted order those follow "name.", if there is exactly
  // one.
  const std::string prefix = std::string(name) + ".";
  const auto it = std::lower_bound(sorted_.begin(), sorted_.end(),
                                   std::pair{std::string_view(prefix), std::uint32_t{0}});
  if (it == sorted_.end() || !it->first.starts_with(prefix)) return std::nullopt;
  const auto next = std::next(it);
  if (next != sorted_.end() && next->first.starts_with(prefix)) return std::nullopt;
  return it->second;
}

}  // namespace tofa
