// SPDX-License-Identifier: BSD-3-Clause
// connect() for libpmix. The dynamic linker prefers an executable's own symbols to those of the C
// library, so this one is what libpmix calls: of a URI tcp6://[ADDRESS]:PORT, libpmix 4.2 takes the
// address and loses the port.
#include "query/libpmix_guard.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace tofa::health {
namespace {

std::uint16_t gateway_port = 0;

}  // namespace

void set_gateway_port(std::uint16_t port) {
  gateway_port = port;
}

}  // namespace tofa::health

extern "C" __attribute__((visibility("default"))) int connect(int socket, const sockaddr* address,
                                                              socklen_t size) {
  sockaddr_in6 target{};
  if (size == sizeof target && address->sa_family == AF_INET6) {
    std::memcpy(&target, address, sizeof target);
    if (target.sin6_port == 0) target.sin6_port = htons(tofa::health::gateway_port);
    address = reinterpret_cast<const sockaddr*>(&target);
  }
  return static_cast<int>(::syscall(SYS_connect, socket, address, size));
}
