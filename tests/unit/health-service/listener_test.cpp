// SPDX-License-Identifier: BSD-3-Clause
#include "common/listener.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

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

}  // namespace
}  // namespace tofa::health::listener_test
