// SPDX-License-Identifier: BSD-3-Clause
// Brackets tell the colons of an IPv6 address from that of the port.
#include "common/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

[[noreturn]] void refuse(std::string_view text, std::uint16_t default_port) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{} is not ADDRESS:PORT, e.g. 10.0.0.1:{} or [fd00::1]:{}", excerpt(text),
                          default_port, default_port));
}

std::uint16_t parse_port(std::string_view text, std::string_view whole) {
  const auto port = parse_number<std::uint16_t>(text);
  if (!port || *port == 0) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{} has no port from 1 to 65535 after the colon", excerpt(whole)));
  }
  return *port;
}

}  // namespace

HostPort split_host_port(std::string_view text, std::uint16_t default_port) {
  HostPort result{"", default_port};
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) refuse(text, default_port);
    result.host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
    if (result.host.find(':') == std::string::npos || !(rest.empty() || rest.starts_with(':')))
      refuse(text, default_port);
  } else {
    const std::size_t colon = std::min(text.rfind(':'), text.size());
    result.host = text.substr(0, colon);
    rest = text.substr(colon);
    if (result.host.empty()) refuse(text, default_port);
    // A bare IPv6 address has no port.
    if (result.host.find(':') != std::string::npos) {
      if (!is_numeric(std::string(text))) refuse(text, default_port);
      return {std::string(text), default_port};
    }
  }
  if (!rest.empty()) result.port = parse_port(rest.substr(1), text);
  return result;
}

bool is_numeric(const std::string& host) {
  in6_addr unused{};
  return ::inet_pton(AF_INET, host.c_str(), &unused) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &unused) == 1;
}

SocketAddress numeric_address(const HostPort& address) {
  SocketAddress result;
  if (::inet_pton(AF_INET6, address.host.c_str(), &result.v6.sin6_addr) == 1) {
    result.v6.sin6_family = AF_INET6;
    result.v6.sin6_port = htons(address.port);
    return result;
  }
  result.v4 = {};
  result.v4.sin_family = AF_INET;
  result.v4.sin_port = htons(address.port);
  if (::inet_pton(AF_INET, address.host.c_str(), &result.v4.sin_addr) != 1) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{} is not a numeric address, e.g. 10.0.0.1 or [fd00::1]",
                            excerpt(address.host)));
  }
  return result;
}

std::optional<SocketAddress> resolve(const HostPort& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.host.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::optional<SocketAddress> result;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    if (one->ai_family != AF_INET && (one->ai_family != AF_INET6 || result)) continue;
    result.emplace();
    std::memcpy(&result->v6, one->ai_addr,
                std::min<std::size_t>(one->ai_addrlen, sizeof result->v6));
    (one->ai_family == AF_INET ? result->v4.sin_port : result->v6.sin6_port) = htons(address.port);
    if (one->ai_family == AF_INET) break;
  }
  return result;
}

bool same_address(const SocketAddress& a, const SocketAddress& b) {
  if (a.any.sa_family != b.any.sa_family) return false;
  if (a.any.sa_family == AF_INET6) {
    return IN6_ARE_ADDR_EQUAL(&a.v6.sin6_addr, &b.v6.sin6_addr) && a.v6.sin6_port == b.v6.sin6_port;
  }
  return a.v4.sin_addr.s_addr == b.v4.sin_addr.s_addr && a.v4.sin_port == b.v4.sin_port;
}

std::string to_string(const SocketAddress& address) {
  char text[INET6_ADDRSTRLEN] = "?";
  if (address.any.sa_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &address.v6.sin6_addr, text, sizeof text);
    return fmt::format("[{}]:{}", text, ntohs(address.v6.sin6_port));
  }
  ::inet_ntop(AF_INET, &address.v4.sin_addr, text, sizeof text);
  return fmt::format("{}:{}", text, ntohs(address.v4.sin_port));
}

}  // namespace tofa::health
