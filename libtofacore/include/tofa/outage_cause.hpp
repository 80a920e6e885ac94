// SPDX-License-Identifier: BSD-3-Clause
// Why a host failed, in one line: the source that noticed it, such as "heartbeat", and what it
// said, such as "check gpu: no device". It is shown in terminals, logs and pages, and much of it
// was written by strangers, so it is short and printable ASCII.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tofa {

inline constexpr std::size_t kLongestCause = 160;

// Of what is down because the network to it is interrupted, which is no failure of the host.
inline constexpr std::string_view kNetworkCause = "network";

// 1 to kLongestCause printable ASCII characters, with a blank at neither end.
bool is_cause(std::string_view text);

// The first line of `text` as a cause, or as much as fits into `longest` characters: what cannot be
// printed becomes a blank, what is not ASCII a question mark. Empty when nothing is left.
std::string as_cause(std::string_view text, std::size_t longest = kLongestCause);

}  // namespace tofa
