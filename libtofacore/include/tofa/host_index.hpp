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
#include <utility>
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
  HostIndex(const HostIndex&) = delete;  // the index points into the names
  HostIndex& operator=(const HostIndex&) = delete;

  const std::vector<std::string>& names() const { return names_; }

  // The position of the host that `name` means; nothing when there is none, or when a short name
  // could mean several.
  std::optional<std::uint32_t> find(std::string_view name) const;

 private:
  std::optional<std::uint32_t> find_exactly(std::string_view name) const;

  std::vector<std::string> names_;
  std::vector<std::pair<std::string_view, std::uint32_t>> sorted_;  // by name
};

}  // namespace tofa
