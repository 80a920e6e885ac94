// SPDX-License-Identifier: BSD-3-Clause
// What the gate lets through to libpmix after the handshake: the three messages of tofa-query, and
// not one byte else.
#include "gateway/message.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace tofa::health::message_test {
namespace {

using std::literals::string_literals::operator""s;

std::string u32(std::uint32_t value) {
  const std::uint32_t swapped = htonl(value);
  std::string bytes(sizeof swapped, '\0');
  std::memcpy(bytes.data(), &swapped, sizeof swapped);
  return bytes;
}

std::string message(const std::string& body, std::uint32_t tag = 102) {
  return u32(0) + u32(tag) + u32(static_cast<std::uint32_t>(body.size())) + u32(0) + body;
}

std::string text(const std::string& text) {
  return static_cast<char>(2 * (text.size() + 1)) + text + '\0';
}

const std::string kTellMe = "\x02\x00"s;
const std::string kLeave = "\x02\x05"s;
const std::string kRefresh = '\1' + text("pmix.qry.rfsh") + "\0\1\1"s;

std::string query(const std::string& key, const std::string& qualifiers = kRefresh) {
  return "\x02\x0f\x02\x01\x02\x02" + text(key) + qualifiers;
}

FrameVerdict verdict(const std::string& bytes) {
  return check_message(bytes).verdict;
}

TEST(GatewayMessage, LetsThroughWhatTofaQuerySends) {
  for (const std::string& body : {kTellMe, kLeave, query("tofa.snapshot")}) {
    const Check check = check_message(message(body) + "and more");
    EXPECT_EQ(check.verdict, FrameVerdict::complete);
    EXPECT_EQ(check.bytes, kHeader + body.size());
    EXPECT_EQ(check.relay, message(body));
  }
  EXPECT_EQ(verdict(message(query("tofa.of-another-version", "\0"s))), FrameVerdict::complete);
}

TEST(GatewayMessage, IndexAndPaddingDoNotGoOn) {
  const std::string sent = u32(7) + u32(101) + u32(2) + u32(0xdeadbeef) + kTellMe;
  EXPECT_EQ(check_message(sent).relay, message(kTellMe, 101));
}

TEST(GatewayMessage, WaitsForTheWholeMessage) {
  const std::string whole = message(query("tofa.snapshot"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(verdict(whole.substr(0, size)), FrameVerdict::incomplete) << size;
  }
  EXPECT_EQ(check_message(whole.substr(0, 20)).bytes, whole.size());
}

TEST(GatewayMessage, JudgesAHeaderAtOnce) {
  EXPECT_EQ(verdict(u32(0) + u32(102) + u32(0x7fffffff) + u32(0)), FrameVerdict::refused)
      << "2 GiB";
  EXPECT_EQ(verdict(u32(0) + u32(102) + u32(0xffffffff) + u32(0)), FrameVerdict::refused);
  EXPECT_EQ(verdict(u32(0) + u32(102) + u32(kLargestMessage - kHeader + 1) + u32(0)),
            FrameVerdict::refused);
  EXPECT_EQ(verdict(u32(0) + u32(102) + u32(kLargestMessage - kHeader) + u32(0)),
            FrameVerdict::incomplete);
  for (const std::uint32_t tag : {0U, 1U, 99U, 0x80000000U, 0xffffffffU}) {
    EXPECT_EQ(verdict(message(kTellMe, tag)), FrameVerdict::refused)
        << "a channel of libpmix's: " << tag;
  }
}

TEST(GatewayMessage, RefusesQueriesOfNoKeyAndOfOthers) {
  std::string no_query = query("tofa.snapshot");
  no_query[4] = 0;
  EXPECT_EQ(verdict(message(no_query)), FrameVerdict::refused) << "what ended libpmix";
  std::string no_key = query("tofa.snapshot");
  no_key[5] = 0;
  EXPECT_EQ(verdict(message(no_key)), FrameVerdict::refused);
  for (const std::string key : {"", "pmix.qry.ns", "tofa snapshot", "tofa.\n"}) {
    EXPECT_EQ(verdict(message(query(key))), FrameVerdict::refused) << key;
  }
  EXPECT_EQ(verdict(message(query("tofa.snapshot\0tofa"s))), FrameVerdict::refused);
  EXPECT_EQ(verdict(message("")), FrameVerdict::refused);
}

TEST(GatewayMessage, RefusesAllOtherCommands) {
  for (int command = 0; command < 256; ++command) {
    const std::string body = "\x02"s + static_cast<char>(command);
    const bool known = body == kTellMe || body == kLeave;
    EXPECT_EQ(verdict(message(body)), known ? FrameVerdict::complete : FrameVerdict::refused)
        << command;
  }
}

// Of the query's 40 bytes only letters of the key may be others.
TEST(GatewayMessage, NoOtherBitOfTheQueryMayFlip) {
  const std::string good = query("tofa.snapshot");
  const std::size_t free_begin = good.find("snapshot");
  const std::size_t free_end = free_begin + std::strlen("snapshot");
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = good;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      const bool letter =
          at >= free_begin && at < free_end && flipped[at] > ' ' && flipped[at] < '\x7f';
      EXPECT_EQ(verdict(message(flipped)), letter ? FrameVerdict::complete : FrameVerdict::refused)
          << "byte " << at << " bit " << bit;
    }
  }
}

TEST(GatewayMessage, NoCutOrLongerBodyPasses) {
  const std::string good = query("tofa.snapshot");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(verdict(message(good.substr(0, size))), FrameVerdict::refused) << size;
  }
  EXPECT_EQ(verdict(message(good + '\0')), FrameVerdict::refused);
}

TEST(GatewayMessage, AnyBytesAreSafe) {
  EXPECT_TRUE(rc::check([](const std::string& noise) {
    (void)check_message(noise);
    RC_ASSERT(check_message(message(noise)).verdict != FrameVerdict::incomplete);
  }));
}

}  // namespace
}  // namespace tofa::health::message_test
