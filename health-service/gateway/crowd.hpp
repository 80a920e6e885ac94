// SPDX-License-Identifier: BSD-3-Clause
// Who is served first and who gives way, when there are more connections than there may be. An
// address can hardly be lied about over TCP, so addresses come first; a user is what a client says
// that it is, and only tells those of one address apart. Nobody is turned away for good: who takes
// more than others comes after them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "common/address.hpp"

namespace tofa::health {

// Where a connection comes from.
struct Origin {
  std::uint64_t network = 0;  // an IPv4 address; of an IPv6 one the first half, which one host has
  std::uint32_t user = 0;     // as the client claims; 0 as long as it has not said
  friend bool operator<(const Origin& a, const Origin& b) {
    return std::tie(a.network, a.user) < std::tie(b.network, b.user);
  }
};

// Of an IPv4 address that an IPv6 socket shows, too.
std::uint64_t network_of(const SocketAddress& address);

struct Standing {
  Origin origin;
  std::chrono::steady_clock::time_point quiet_since;
  bool waits = false;  // for the gateway; else the gateway waits for it
};

// The indices of all, who deserves most first. The first connections of all addresses come before
// all second ones; likewise those of the users of one address; of what is equal then, those come
// first that wait for the gateway, and those that spoke last: an honest client says what it wants
// at once, and in a flood the old ones are those that nobody waits for.
std::vector<std::size_t> most_deserving_first(const std::vector<Standing>& crowd);

// Up to `count` of the least deserving that do not wait for the gateway, or of all where `any`, and
// have been quiet for `grace` at least.
struct Eviction {
  std::size_t count = 1;
  std::chrono::steady_clock::duration grace{};
  bool any = false;
};
std::vector<std::size_t> who_gives_way(const std::vector<Standing>& crowd,
                                       std::chrono::steady_clock::time_point now,
                                       const Eviction& eviction);

}  // namespace tofa::health
