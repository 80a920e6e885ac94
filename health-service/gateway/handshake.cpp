// SPDX-License-Identifier: BSD-3-Clause
// The layout, unchanged from PMIx 4.1 to 5: a header in the sender's byte order; the security
// module's name and a NUL; a credential after its size in network byte order; the kind of process
// as one byte; user and group in network byte order; the version, a NUL, the encoding's name, a
// NUL, the kind of buffers as one byte, the storage's name, a NUL; then encoded values to the end.
//
// libpmix gets the version and the names, each of a small alphabet, and a credential of nobody's.
// It gets none of the values: they are the part that it would have to decode, and tell only the
// client's command line and the like.
#include "gateway/handshake.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tofa::health {
namespace {

constexpr char kToolThatNeedsAnIdentity = 3;
constexpr std::uint32_t kNobody = 65534;
constexpr std::size_t kLongestName = 32;
// The encoding that message.cpp knows, and buffers without a description of each value.
constexpr std::string_view kEncoding = "v41";
constexpr std::string_view kPlainBuffers = "\x01";

void append_u32(std::string& bytes, std::uint32_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  std::optional<std::string_view> take(std::size_t size) {
    if (size > left_.size()) return {};
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  // A word up to its NUL.
  std::optional<std::string_view> take_name() {
    const std::size_t end = left_.find('\0');
    if (end == std::string_view::npos || end == 0 || end > kLongestName) return {};
    const std::string_view name = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == ',' || c == '_';
    });
    if (!plain) return {};
    return name;
  }

 private:
  std::string_view left_;
};

std::string make_handshake(std::string_view version, std::string_view storage) {
  std::string body("native");
  body += '\0';
  append_u32(body, htonl(2 * sizeof kNobody));
  for (int i = 0; i < 2; ++i) append_u32(body, kNobody);  // here in this machine's order
  body += kToolThatNeedsAnIdentity;
  for (int i = 0; i < 2; ++i) append_u32(body, htonl(kNobody));
  body.append(version) += '\0';
  body.append(kEncoding) += '\0';
  body.append(kPlainBuffers).append(storage) += '\0';
  std::string message;
  for (int i = 0; i < 2; ++i) append_u32(message, 0xffffffff);
  append_u32(message, static_cast<std::uint32_t>(body.size()));
  append_u32(message, 0);
  return message + body;
}

struct Remade {
  std::string handshake;
  std::uint32_t user = 0;
};

// Nothing when it is not a tool's.
std::optional<Remade> remake(std::string_view body) {
  Reader reader(body);
  if (!reader.take_name()) return {};
  const auto credential = reader.take(sizeof(std::uint32_t));
  if (!credential || !reader.take(ntohl(read_u32(*credential)))) return {};
  const auto kind = reader.take(1);
  if (!kind || kind->front() != kToolThatNeedsAnIdentity) return {};
  const auto user = reader.take(2 * sizeof(std::uint32_t));  // and group
  if (!user) return {};
  const auto version = reader.take_name();
  if (!version || version->front() < '1' || version->front() > '9') return {};
  if (reader.take_name() != kEncoding || reader.take(1) != kPlainBuffers) return {};
  const auto storage = reader.take_name();
  if (!storage) return {};
  return Remade{make_handshake(*version, *storage), ntohl(read_u32(*user))};
}

}  // namespace

Check check_handshake(std::string_view received) {
  if (received.size() < kHeader) return {FrameVerdict::incomplete, kHeader, {}};
  const std::size_t size = kHeader + std::size_t{read_u32(received.substr(kSizeOffset))};
  if (size > kLargestHandshake) return {FrameVerdict::refused, size, {}};
  if (received.size() < size) return {FrameVerdict::incomplete, size, {}};
  auto remade = remake(received.substr(kHeader, size - kHeader));
  if (!remade) return {FrameVerdict::refused, size, {}};
  return {FrameVerdict::complete, size, std::move(remade->handshake), remade->user};
}

}  // namespace tofa::health
