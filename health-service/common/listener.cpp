// SPDX-License-Identifier: BSD-3-Clause
#include "common/listener.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "tofa/error.hpp"

namespace tofa::health {

void accept_both_kinds(const FileDescriptor& socket, const SocketAddress& where) {
  const int off = 0;
  if (where.any.sa_family == AF_INET6)
    (void)::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
}

FileDescriptor listen_on(const SocketAddress& where) {
  FileDescriptor listener(
      ::socket(where.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  accept_both_kinds(listener, where);
  if (!listener || ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(listener.get(), &where.any, size_of(where)) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0) {
    throw Error(
        ErrorKind::unavailable,
        fmt::format("cannot listen on TCP {}: {}; choose another with --listen ADDRESS:PORT",
                    to_string(where), std::strerror(errno)));
  }
  return listener;
}

// Who has left again is passed over; of those there are no more than may wait.
FileDescriptor accept_from(const FileDescriptor& listener, SocketAddress& from) {
  FileDescriptor socket;
  for (int tries = 0; !socket && tries < SOMAXCONN; ++tries) {
    socklen_t size = sizeof from;
    socket.reset(::accept4(listener.get(), &from.any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket && errno != EINTR && errno != ECONNABORTED) break;
  }
  return socket;
}

}  // namespace tofa::health
