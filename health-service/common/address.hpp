// SPDX-License-Identifier: BSD-3-Clause
// IPv4 and IPv6 addresses with a port, as options and configuration files spell them: ADDRESS:PORT,
// and [ADDRESS]:PORT for IPv6.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tofa::health {

struct HostPort {
  std::string host;  // a name or a numeric address, without brackets
  std::uint16_t port = 0;
};

// Splits HOST:PORT, or HOST with `default_port`. Throws tofa::Error (bad_input) on anything else.
HostPort split_host_port(std::string_view text, std::uint16_t default_port);

// As system calls take and fill it.
union SocketAddress {
  sockaddr_in6 v6{};
  sockaddr_in v4;
  sockaddr any;
};
inline socklen_t size_of(const SocketAddress& address) {
  return address.any.sa_family == AF_INET6 ? sizeof address.v6 : sizeof address.v4;
}
bool same_address(const SocketAddress& a, const SocketAddress& b);

// The socket address of a numeric address. Throws tofa::Error (bad_input).
SocketAddress numeric_address(const HostPort& address);
bool is_numeric(const std::string& host);

// Also resolves names, which may take as long as the resolver takes; nothing when there is no
// address. Of a host that has both kinds, an IPv4 address.
std::optional<SocketAddress> resolve(const HostPort& address);

// ADDRESS:PORT, for messages.
std::string to_string(const SocketAddress& address);

}  // namespace tofa::health
