// SPDX-License-Identifier: BSD-3-Clause
// What systemd is told, by the socket that it names.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

#include "common/daemon.hpp"
#include "support.hpp"

namespace tofa::systemd_notice_test {
namespace {

using health::notify_systemd;

class SystemdNotice : public ::testing::Test {
 protected:
  void TearDown() override { ::unsetenv("NOTIFY_SOCKET"); }

  // `name` as in NOTIFY_SOCKET.
  void listen(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(name.size(), sizeof address.sun_path);
    name.copy(address.sun_path, name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    socket_.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    ASSERT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }

  // A datagram arrives at once or not at all.
  std::string received() {
    char text[256];
    const ssize_t size = ::recv(socket_.get(), text, sizeof text, 0);
    return size < 0 ? "nothing" : std::string(text, static_cast<std::size_t>(size));
  }

 private:
  FileDescriptor socket_;
};

TEST_F(SystemdNotice, ReachesASocketInAFolder) {
  const test::ScratchDirectory folder;
  listen(folder / "notify");
  notify_systemd("READY=1");
  notify_systemd("WATCHDOG=1\nSTATUS=polling");
  EXPECT_EQ(received(), "READY=1");
  EXPECT_EQ(received(), "WATCHDOG=1\nSTATUS=polling");
  EXPECT_EQ(received(), "nothing");
}

TEST_F(SystemdNotice, ReachesASocketThatIsInNoFileSystem) {
  listen(fmt::format("@tofa-notice-test-{}", ::getpid()));
  notify_systemd("READY=1");
  EXPECT_EQ(received(), "READY=1");
}

TEST_F(SystemdNotice, PassesOverWhatItCannotReach) {
  const test::ScratchDirectory folder;
  listen(folder / "notify");
  for (const std::string& name : {std::string(), std::string("@"), std::string("vsock:2:1234"),
                                  folder / "nobody", "/" + std::string(200, 'a')}) {
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    notify_systemd("READY=1");
  }
  ::unsetenv("NOTIFY_SOCKET");
  notify_systemd("READY=1");
  EXPECT_EQ(received(), "nothing");
}

}  // namespace
}  // namespace tofa::systemd_notice_test
