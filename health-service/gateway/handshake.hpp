// SPDX-License-Identifier: BSD-3-Clause
// The first message of a PMIx connection, looked at before libpmix sees it. libpmix reads it with
// blocking calls in its only progress thread and trusts the lengths in it, so a connection that is
// silent, slow or malformed must not get that far. Let through is what a tool without an identity
// of its own sends, which is what tofa-query is.
#pragma once

#include <cstddef>
#include <string_view>

namespace tofa::health {

enum class Handshake {
  incomplete,  // more bytes are needed
  complete,
  refused,
};

struct HandshakeCheck {
  Handshake verdict = Handshake::incomplete;
  std::size_t bytes = 0;  // of the whole message as far as is known: what to wait for
};

inline constexpr std::size_t kHandshakeHeader = 16;
inline constexpr std::size_t kLargestHandshake = 16'384;

HandshakeCheck check_handshake(std::string_view received);

}  // namespace tofa::health
