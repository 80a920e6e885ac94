// SPDX-License-Identifier: BSD-3-Clause
// Sorted names and binary search: see host_index.hpp.
#include "tofa/host_index.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

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
  sorted_.resize(names_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  const auto before = [this](std::uint32_t a, std::uint32_t b) { return names_[a] < names_[b]; };
  if (!std::is_sorted(sorted_.begin(), sorted_.end(), before))
    std::sort(sorted_.begin(), sorted_.end(), before);
  const auto alike = [this](std::uint32_t a, std::uint32_t b) { return names_[a] == names_[b]; };
  const auto twin = std::adjacent_find(sorted_.begin(), sorted_.end(), alike);
  if (twin != sorted_.end()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("node \"{}\" appears twice; give each node one place", names_[*twin]));
  }
}

std::vector<std::uint32_t>::const_iterator HostIndex::first_from(std::string_view name) const {
  const auto before = [this](std::uint32_t a, std::string_view b) { return names_[a] < b; };
  return std::lower_bound(sorted_.begin(), sorted_.end(), name, before);
}

std::optional<std::uint32_t> HostIndex::find_exactly(std::string_view name) const {
  const auto it = first_from(name);
  if (it == sorted_.end() || names_[*it] != name) return std::nullopt;
  return *it;
}

std::optional<std::uint32_t> HostIndex::find(std::string_view name) const {
  if (const auto found = find_exactly(name)) return found;
  if (short_name(name) != name) return find_exactly(short_name(name));
  // A short name finds a qualified one: in sorted order those follow "name.", if there is exactly
  // one.
  const std::string prefix = std::string(name) + ".";
  const auto it = first_from(prefix);
  if (it == sorted_.end() || !names_[*it].starts_with(prefix)) return std::nullopt;
  const auto next = std::next(it);
  if (next != sorted_.end() && names_[*next].starts_with(prefix)) return std::nullopt;
  return *it;
}

}  // namespace tofa
