// SPDX-License-Identifier: BSD-3-Clause
// Whose turn it is in a session, which tells a client that is slow from a libpmix that hangs.
#include "gateway/session.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <utility>

namespace tofa::health::session_test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

// What a new tool asks to be told.
const std::string kTellMe = "\0\0\0\0\0\0\0\x66\0\0\0\2\0\0\0\0\x02\0"s;

std::pair<FileDescriptor, FileDescriptor> connected() {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void say(const FileDescriptor& who, const std::string& text) {
  EXPECT_EQ(::send(who.get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

TEST(GatewaySession, ItIsTheClientsTurnWhileItTakesNoAnswer) {
  auto [client, gate_to_client] = connected();
  auto [libpmix, gate_to_libpmix] = connected();
  Session session(std::move(gate_to_client), std::move(gate_to_libpmix),
                  Session::Clock::now() + 1h);
  EXPECT_TRUE(session.waits_for_libpmix()) << "it answers the handshake";
  const std::string part(16'384, 'x');
  for (int i = 0; i < 200; ++i) {  // more than the client's socket takes
    (void)::send(libpmix.get(), part.data(), part.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    EXPECT_TRUE(session.go_on());
  }
  say(client, kTellMe);
  EXPECT_TRUE(session.go_on());
  EXPECT_FALSE(session.waits_for_libpmix());
  EXPECT_FALSE(session.is_late(Session::Clock::now()));
  EXPECT_TRUE(session.is_late(Session::Clock::now() + 3s));
  std::string taken(1 << 20, '\0');
  while (::recv(client.get(), taken.data(), taken.size(), MSG_DONTWAIT) > 0) {
    EXPECT_TRUE(session.go_on());
  }
  say(client, kTellMe);
  EXPECT_TRUE(session.go_on());
  EXPECT_TRUE(session.waits_for_libpmix()) << "the client has taken all";
  EXPECT_FALSE(session.is_late(Session::Clock::now() + 3s));
}

}  // namespace
}  // namespace tofa::health::session_test
