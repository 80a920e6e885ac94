// SPDX-License-Identifier: BSD-3-Clause
// The first message of a PMIx connection, read before libpmix sees anything of it. libpmix reads it
// with blocking calls in its only progress thread and trusts the lengths in it, so a connection
// that is silent, slow or malformed must not get that far. Let through is what a tool without an
// identity of its own sends, which is what tofa-query is; and libpmix gets not the client's bytes
// but a handshake made anew from the few short words of it that matter.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gateway/verdict.hpp"

namespace tofa::health {

inline constexpr std::size_t kLargestHandshake = 16'384;

// `relay` of a complete one is what libpmix is to get instead.
Check check_handshake(std::string_view received);

}  // namespace tofa::health
