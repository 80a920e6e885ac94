// SPDX-License-Identifier: BSD-3-Clause
// Names of hosts: what is one, when two of them mean the same host, and which of many a name means.
// Programs disagree on whether a host is called by its short name or its qualified one, `n7` or
// `n7.cluster`, so either finds the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tofa {

inline constexpr std::size_t kLongestHostName = 255;  // as in DNS

// 1 to kLongestHostName letters, digits, `.`, `-`, `_`.
bool is_host_name(std::string_view text);

// Whether one is the other, or its short name.
bool same_host(std::string_view a, std::string_view b);

class HostIndex {
 public:
  // Throws Error (bad_input) when a name appears twice.
  explicit HostIndex(std::vector<std::string> names);

  const std::vector<std::string>& names() const { return names_; }

  // The position of the host that `name` means; nothing when there is none, or when a short name
  // could mean several.
  std::optional<std::uint32_t> find(std::string_view name) const;

 private:
  // Which of the names, in order, is the first that is not before `name`; the end where all are.
  std::vector<std::uint32_t>::const_iterator first_from(std::string_view name) const;
  std::optional<std::uint32_t> find_exactly(std::string_view name) const;

  std::vector<std::string> names_;
  // Positions, by name. Of a million hosts, names beside them would take five times the memory.
  std::vector<std::uint32_t> sorted_;
};

}  // namespace tofa
