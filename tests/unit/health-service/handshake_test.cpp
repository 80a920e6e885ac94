// SPDX-License-Identifier: BSD-3-Clause
// The look at a PMIx handshake, and what libpmix gets in its place.
#include "gateway/handshake.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace tofa::health::handshake_test {
namespace {

std::string u32(std::uint32_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string handshake(const std::string& body) {
  return u32(0) + u32(0) + u32(static_cast<std::uint32_t>(body.size())) + u32(0) + body;
}

std::string word(const std::string& text) {
  return text + '\0';
}

const std::string kWords = word("4.2.2rc2") + word("v41") + '\1' + word("hash");

std::string tool_body(char kind, std::uint32_t announced, const std::string& credential,
                      const std::string& words = kWords) {
  return word("native") + u32(htonl(announced)) + credential + kind + u32(htonl(1000)) +
         u32(htonl(1000)) + words;
}

std::string relayed(const std::string& message) {
  const Check check = check_handshake(message);
  EXPECT_EQ(check.verdict, FrameVerdict::complete);
  return check.relay;
}

FrameVerdict verdict(const std::string& message) {
  return check_handshake(message).verdict;
}

TEST(GatewayHandshake, LetsAToolThrough) {
  EXPECT_EQ(verdict(handshake(tool_body(3, 0, ""))), FrameVerdict::complete);
  EXPECT_EQ(verdict(handshake(tool_body(3, 4, "cred"))), FrameVerdict::complete);
}

TEST(GatewayHandshake, LibpmixGetsOneMadeAnew) {
  const std::string plain = relayed(handshake(tool_body(3, 4, "cred")));
  EXPECT_EQ(plain, relayed(handshake(tool_body(3, 5, "other") + "\x02\x03 and other values")));
  EXPECT_EQ(plain, relayed(plain));
  EXPECT_EQ(plain.find("cred"), std::string::npos);
  const std::string other = relayed(
      handshake(tool_body(3, 0, "", word("5.0.1") + word("v41") + '\1' + word("shmem2,hash"))));
  EXPECT_NE(other.find(word("5.0.1")), std::string::npos);
  EXPECT_NE(other.find(word("shmem2,hash")), std::string::npos);
}

TEST(GatewayHandshake, TellsWhoTheClientClaimsToBe) {
  EXPECT_EQ(check_handshake(handshake(tool_body(3, 4, "cred"))).user, 1000);
}

TEST(GatewayHandshake, WaitsForTheWholeMessage) {
  const std::string whole = handshake(tool_body(3, 4, "cred"));
  EXPECT_EQ(check_handshake("").bytes, kHeader);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(verdict(whole.substr(0, size)), FrameVerdict::incomplete) << size;
  }
  EXPECT_EQ(check_handshake(whole.substr(0, 20)).bytes, whole.size());
}

TEST(GatewayHandshake, RefusesWhatWouldHurtLibpmix) {
  for (const char kind : {0, 1, 2, 4, 5, 6, 7, 8, 9, 77}) {
    EXPECT_EQ(verdict(handshake(tool_body(kind, 0, ""))), FrameVerdict::refused) << +kind;
  }
  EXPECT_EQ(verdict(handshake(tool_body(3, 100'000, "cred"))), FrameVerdict::refused)
      << "a credential longer than the message";
  EXPECT_EQ(verdict(handshake(tool_body(3, 0xffffffff, ""))), FrameVerdict::refused);
  EXPECT_EQ(verdict(handshake("")), FrameVerdict::refused);
  EXPECT_EQ(verdict(handshake("native")), FrameVerdict::refused) << "no end of the name";
  EXPECT_EQ(verdict(u32(0) + u32(0) + u32(0xfffffff0) + u32(0)), FrameVerdict::refused)
      << "too large";
}

TEST(GatewayHandshake, RefusesOtherVersionsAndWords) {
  const std::string end = '\1' + word("hash");
  for (const std::string& words :
       {std::string(), word("4.2.2"), word("4.2.2") + word("v20") + end,
        word("none") + word("v41") + end, word("4%n") + word("v41") + end,
        word(std::string(33, '4')) + word("v41") + end,
        word("4.2.2") + word("v41") + '\2' + word("hash"), word("4.2.2") + word("v41") + "\1hash",
        word("4.2.2") + word("v41") + '\1' + word("../hash")}) {
    EXPECT_EQ(verdict(handshake(tool_body(3, 0, "", words))), FrameVerdict::refused)
        << testing::PrintToString(words);
  }
}

TEST(GatewayHandshake, EveryCutOfTheBodyIsJudged) {
  const std::string body = tool_body(3, 4, "cred");
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_EQ(verdict(handshake(body.substr(0, size))), FrameVerdict::refused) << size;
  }
}

TEST(GatewayHandshake, AnyBytesAreSafe) {
  EXPECT_TRUE(rc::check([](const std::string& noise) {
    (void)check_handshake(noise);
    RC_ASSERT(check_handshake(handshake(noise)).verdict != FrameVerdict::incomplete);
  }));
}

}  // namespace
}  // namespace tofa::health::handshake_test
