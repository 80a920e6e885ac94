// SPDX-License-Identifier: BSD-3-Clause
// accept() and send() for libpmix. The dynamic linker prefers an executable's own symbols to those
// of the C library, so these two are what libpmix calls.
//
// accept(): hands over the connections that passed the gate, nothing else. libpmix takes EAGAIN for
// "not now", and ends its listener for good at most other errors, so there are no others.
//
// send(): libpmix 4 releases its records of a client twice, and crashes, when a client dies in the
// middle of the handshake and a send fails. So a send to a dead client seems to work, and libpmix
// notices that the client is gone when it reads next, which it handles well. SIGPIPE is not raised
// either.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "gateway/handover.hpp"

namespace {

bool is_dead_client(int error) {
  return error == EPIPE || error == ECONNRESET || error == ENOTCONN || error == ETIMEDOUT;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int accept(int listener, sockaddr* address,
                                                             socklen_t* length) {
  const int knock = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (knock >= 0) ::close(knock);
  tofa::FileDescriptor connection = tofa::health::Handover::instance().take();
  if (!connection) {
    errno = EAGAIN;
    return -1;
  }
  // A client that has gone already has no address; libpmix does not use it.
  if (address != nullptr && length != nullptr)
    (void)::getpeername(connection.get(), address, length);
  return connection.release();
}

extern "C" __attribute__((visibility("default"))) ssize_t send(int socket, const void* data,
                                                               size_t size, int flags) {
  const long sent = ::syscall(SYS_sendto, socket, data, size, flags | MSG_NOSIGNAL, nullptr, 0);
  if (sent < 0 && is_dead_client(errno)) return static_cast<ssize_t>(size);
  return sent;
}
