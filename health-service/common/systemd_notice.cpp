// SPDX-License-Identifier: BSD-3-Clause
// What sd_notify(3) documents for programs without libsystemd: a datagram to the socket that
// NOTIFY_SOCKET names. The library would load six others, which together are a quarter of what the
// agent on each node takes.
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "common/daemon.hpp"

namespace tofa::health {
namespace {

// systemd may be slow to take it, but a daemon does not wait for ever.
constexpr timeval kNoticeDeadline{5, 0};

}  // namespace

void notify_systemd(const std::string& state) {
  const char* name = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  const std::string_view path = name == nullptr ? "" : name;
  // A path, or a name that begins with @ and is in no file system. Others, as of virtual machines,
  // are for hosts.
  if (path.size() < 2 || path.size() >= sizeof address.sun_path) return;
  if (path[0] != '/' && path[0] != '@') return;
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  if (path[0] == '@') address.sun_path[0] = '\0';
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return;
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kNoticeDeadline,
                     sizeof kNoticeDeadline);
  // Who cannot be told cannot be told that, either.
  (void)::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size()));
}

}  // namespace tofa::health
