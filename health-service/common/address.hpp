// SPDX-License-Identifier: BSD-3-Clause
// IPv4 addresses with a port, as options and configuration files spell them: ADDRESS:PORT.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tofa::health {

struct HostPort {
  std::string host;  // a name or a numeric address
  std::uint16_t port = 0;
};

// Splits HOST:PORT, or HOST with `default_port`. Throws tofa::Error (bad_input) on anything else.
HostPort split_host_port(std::string_view text, std::uint16_t default_port);

// The socket address of a numeric IPv4 address. Throws tofa::Error (bad_input).
sockaddr_in numeric_address(const HostPort& address);

// Also resolves names, which may take as long as the resolver takes; nothing when there is no IPv4
// address.
std::optional<sockaddr_in> resolve(const HostPort& address);

// ADDRESS:PORT, for messages.
std::string to_string(const sockaddr_in& address);

}  // namespace tofa::health
