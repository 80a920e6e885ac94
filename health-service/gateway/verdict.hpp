// SPDX-License-Identifier: BSD-3-Clause
// What the gate thinks of the bytes that a client has sent so far, and how every PMIx message
// begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tofa::health {

enum class FrameVerdict {
  incomplete,  // more bytes are needed
  complete,
  refused,
};

struct Check {
  FrameVerdict verdict = FrameVerdict::incomplete;
  std::size_t bytes = 0;   // of the whole message as far as is known: what to wait for
  std::string relay;       // what libpmix gets for a complete message
  std::uint32_t user = 0;  // of a complete handshake: who the client says it is
};

// Index, tag, size of the rest, padding: 32 bits each.
inline constexpr std::size_t kHeader = 16;
inline constexpr std::size_t kTagOffset = 4;
inline constexpr std::size_t kSizeOffset = 8;

// The first four of at least four bytes, in this machine's order.
inline std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace tofa::health
