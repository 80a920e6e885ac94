// SPDX-License-Identifier: BSD-3-Clause
// IPv4 only: cluster management networks are, and libpmix takes only numeric IPv4 addresses
// reliably.
#include "common/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <cstring>
#include <memory>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::health {

HostPort split_host_port(std::string_view text, std::uint16_t default_port) {
  const std::size_t colon = text.rfind(':');
  HostPort result{std::string(text.substr(0, colon)), default_port};
  if (colon != std::string_view::npos) {
    const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
    if (!port || *port == 0) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{} has no port from 1 to 65535 after the colon", excerpt(text)));
    }
    result.port = *port;
  }
  if (result.host.empty() || result.host.find(':') != std::string::npos) {
    throw Error(ErrorKind::bad_input, fmt::format("{} is not ADDRESS:PORT, e.g. 10.0.0.1:{}",
                                                  excerpt(text), default_port));
  }
  return result;
}

sockaddr_in numeric_address(const HostPort& address) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(address.port);
  if (::inet_pton(AF_INET, address.host.c_str(), &result.sin_addr) != 1) {
    throw Error(ErrorKind::bad_input, fmt::format("{} is not a numeric IPv4 address, e.g. 10.0.0.1",
                                                  excerpt(address.host)));
  }
  return result;
}

std::optional<sockaddr_in> resolve(const HostPort& address) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.host.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  sockaddr_in result{};
  std::memcpy(&result, found->ai_addr, sizeof result);
  result.sin_port = htons(address.port);
  return result;
}

std::string to_string(const sockaddr_in& address) {
  char text[INET_ADDRSTRLEN] = "?";
  ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return fmt::format("{}:{}", text, ntohs(address.sin_port));
}

}  // namespace tofa::health
