// SPDX-License-Identifier: BSD-3-Clause
// The layout: a header in network byte order, then the values in PMIx's encoding "v41" without
// descriptions. There a number of values precedes them, and whole numbers have seven bits to the
// byte; signed ones, which numbers of values and lengths are, are doubled. All numbers here are
// small enough for one byte.
#include "gateway/message.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>

#include "common/wire.hpp"

namespace tofa::health {
namespace {

using std::literals::string_view_literals::operator""sv;

// One command each: what a new tool is told, and the leave.
constexpr std::string_view kTellMe = "\x02\x00"sv;
constexpr std::string_view kLeave = "\x02\x05"sv;
// One command "query"; one number, 1; one query; of one key.
constexpr std::string_view kOneQueryOfOneKey = "\x02\x0f\x02\x01\x02\x02"sv;
// After the key: no qualifiers; or one, PMIX_QUERY_REFRESH_CACHE, without flags, a bool, true.
constexpr std::string_view kNoQualifier = "\x00"sv;
constexpr std::string_view kRefresh = "\x01\x1cpmix.qry.rfsh\x00\x00\x01\x01"sv;

constexpr std::size_t kLongestText = 63;  // with its NUL: what one byte can announce

// Tags below are libpmix's own channels; answers to a client come back with the client's tag.
constexpr std::uint32_t kFirstTag = 100;
constexpr std::uint32_t kLastTag = 0x7fffffff;

bool acceptable_query(std::string_view body) {
  if (!body.starts_with(kOneQueryOfOneKey)) return false;
  body.remove_prefix(kOneQueryOfOneKey.size());
  if (body.empty()) return false;
  const std::size_t doubled = static_cast<unsigned char>(body.front());
  const std::size_t length = doubled / 2;
  body.remove_prefix(1);
  if (doubled % 2 != 0 || length == 0 || length > kLongestText || length > body.size())
    return false;
  const std::string_view key = body.substr(0, length - 1);
  const bool visible =
      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!visible || !key.starts_with(kKeyPrefix) || body[length - 1] != '\0') return false;
  body.remove_prefix(length);
  return body == kNoQualifier || body == kRefresh;
}

bool acceptable(std::string_view body) {
  return body == kTellMe || body == kLeave || acceptable_query(body);
}

}  // namespace

Check check_message(std::string_view received) {
  if (received.size() < kHeader) return {FrameVerdict::incomplete, kHeader, {}};
  const std::uint32_t tag = ntohl(read_u32(received.substr(kTagOffset)));
  const std::size_t size = kHeader + std::size_t{ntohl(read_u32(received.substr(kSizeOffset)))};
  if (tag < kFirstTag || tag > kLastTag || size > kLargestMessage) {
    return {FrameVerdict::refused, size, {}};
  }
  if (received.size() < size) return {FrameVerdict::incomplete, size, {}};
  if (!acceptable(received.substr(kHeader, size - kHeader)))
    return {FrameVerdict::refused, size, {}};
  // Index and padding mean nothing here, so libpmix gets zeros for them.
  std::string relay(received.substr(0, size));
  std::fill_n(relay.begin(), kTagOffset, '\0');
  std::fill(relay.begin() + kSizeOffset + sizeof(std::uint32_t), relay.begin() + kHeader, '\0');
  return {FrameVerdict::complete, size, std::move(relay)};
}

}  // namespace tofa::health
