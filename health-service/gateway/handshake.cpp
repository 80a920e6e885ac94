// SPDX-License-Identifier: BSD-3-Clause
// The layout, unchanged from PMIx 3 to 5: a header (index, tag, size of the rest, padding; 32 bits
// each, in the sender's byte order), then the security module's name and a NUL, a credential after
// its size in network byte order, and the kind of process as one byte. What follows is left to
// libpmix.
#include "gateway/handshake.hpp"

#include <arpa/inet.h>

#include <cstdint>
#include <cstring>

namespace tofa::health {
namespace {

constexpr char kToolThatNeedsAnIdentity = 3;
constexpr std::size_t kSizeOffset = 8;

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool acceptable(std::string_view body) {
  const std::size_t name_end = body.find('\0');
  if (name_end == std::string_view::npos || name_end == 0) return false;
  body.remove_prefix(name_end + 1);
  if (body.size() < sizeof(std::uint32_t)) return false;
  const std::uint32_t credential = ntohl(read_u32(body));
  body.remove_prefix(sizeof(std::uint32_t));
  if (credential >= body.size()) return false;
  return body[credential] == kToolThatNeedsAnIdentity;
}

}  // namespace

HandshakeCheck check_handshake(std::string_view received) {
  if (received.size() < kHandshakeHeader) return {Handshake::incomplete, kHandshakeHeader};
  const std::size_t size = kHandshakeHeader + std::size_t{read_u32(received.substr(kSizeOffset))};
  if (size > kLargestHandshake) return {Handshake::refused, size};
  if (received.size() < size) return {Handshake::incomplete, size};
  const bool good = acceptable(received.substr(kHandshakeHeader, size - kHandshakeHeader));
  return {good ? Handshake::complete : Handshake::refused, size};
}

}  // namespace tofa::health
