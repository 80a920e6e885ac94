// SPDX-License-Identifier: BSD-3-Clause
#include "common/listener.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "tofa/error.hpp"

namespace tofa::health::listener_test {
namespace {

TEST(Listener, SaysThatItsAddressIsTaken) {
  const FileDescriptor taken = listen_on(numeric_address({"127.0.0.1", 0}));
  SocketAddress where;
  socklen_t size = sizeof where;
  ASSERT_EQ(::getsockname(taken.get(), &where.any, &size), 0);
  try {
    (void)listen_on(where);
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Address already in use; choose another"),
              std::string::npos)
        << error.what();
  }
}

TEST(Listener, TellsWhoComesAndThatNobodyDoes) {
  const FileDescriptor listener = listen_on(numeric_address({"127.0.0.1", 0}));
  SocketAddress where;
  SocketAddress from;
  socklen_t size = sizeof where;
  ASSERT_EQ(::getsockname(listener.get(), &where.any, &size), 0);
  EXPECT_FALSE(accept_from(listener, from));
  EXPECT_EQ(errno, EAGAIN);
  const FileDescriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), &where.any, size_of(where)), 0);
  const FileDescriptor accepted = accept_from(listener, from);
  ASSERT_TRUE(accepted);
  EXPECT_TRUE(to_string(from).starts_with("127.0.0.1:")) << to_string(from);
  char byte = 0;
  EXPECT_EQ(::recv(accepted.get(), &byte, 1, 0), -1);
  EXPECT_EQ(errno, EAGAIN) << "it does not block";
}

}  // namespace
}  // namespace tofa::health::listener_test
