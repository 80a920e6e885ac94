// SPDX-License-Identifier: BSD-3-Clause
// The look at a PMIx handshake before libpmix gets it.
#include "gateway/handshake.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace tofa::health {
namespace {

std::string u32(std::uint32_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string handshake(const std::string& body) {
  return u32(0) + u32(0) + u32(static_cast<std::uint32_t>(body.size())) + u32(0) + body;
}

std::string tool_body(char kind, std::uint32_t announced, const std::string& credential) {
  return std::string("native") + '\0' + u32(htonl(announced)) + credential + kind +
         "4.2.2 and so on";
}

TEST(GatewayHandshake, LetsAToolThrough) {
  EXPECT_EQ(check_handshake(handshake(tool_body(3, 0, ""))).verdict, Handshake::complete);
  EXPECT_EQ(check_handshake(handshake(tool_body(3, 4, "cred"))).verdict, Handshake::complete);
}

TEST(GatewayHandshake, WaitsForTheWholeMessage) {
  const std::string whole = handshake(tool_body(3, 4, "cred"));
  EXPECT_EQ(check_handshake("").bytes, kHandshakeHeader);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(check_handshake(whole.substr(0, size)).verdict, Handshake::incomplete) << size;
  }
  EXPECT_EQ(check_handshake(whole.substr(0, 20)).bytes, whole.size());
}

TEST(GatewayHandshake, RefusesWhatWouldHurtLibpmix) {
  for (const char kind : {0, 1, 2, 4, 5, 6, 7, 8, 9, 77}) {
    EXPECT_EQ(check_handshake(handshake(tool_body(kind, 0, ""))).verdict, Handshake::refused)
        << +kind;
  }
  EXPECT_EQ(check_handshake(handshake(tool_body(3, 100'000, "cred"))).verdict, Handshake::refused)
      << "a credential longer than the message";
  EXPECT_EQ(check_handshake(handshake(tool_body(3, 0xffffffff, ""))).verdict, Handshake::refused);
  EXPECT_EQ(check_handshake(handshake("")).verdict, Handshake::refused);
  EXPECT_EQ(check_handshake(handshake("native")).verdict, Handshake::refused)
      << "no end of the name";
  EXPECT_EQ(check_handshake(u32(0) + u32(0) + u32(0xfffffff0) + u32(0)).verdict, Handshake::refused)
      << "too large";
}

TEST(GatewayHandshake, AnyBytesAreSafe) {
  EXPECT_TRUE(rc::check([](const std::string& noise) {
    (void)check_handshake(noise);
    RC_ASSERT(check_handshake(handshake(noise)).verdict != Handshake::incomplete);
  }));
}

}  // namespace
}  // namespace tofa::health
