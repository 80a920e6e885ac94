// SPDX-License-Identifier: BSD-3-Clause
// Sorts anew each time: it is asked for once for many connections, and only while there is a crowd.
#include "gateway/crowd.hpp"

#include <algorithm>
#include <cstring>
#include <map>

namespace tofa::health {
namespace {

struct Place {
  std::size_t index = 0;
  std::size_t turn = 0;  // the how-manieth of its user, then of its network
};

class Order {
 public:
  explicit Order(const std::vector<Standing>& crowd) : crowd_(crowd) {}

  std::vector<std::size_t> find() const {
    std::vector<Place> places(crowd_.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i].index = i;
    sort(places);
    number<Origin>(places, [](const Origin& origin) { return origin; });
    sort(places);
    number<std::uint64_t>(places, [](const Origin& origin) { return origin.network; });
    sort(places);
    std::vector<std::size_t> order;
    order.reserve(places.size());
    for (const Place& place : places) order.push_back(place.index);
    return order;
  }

 private:
  void sort(std::vector<Place>& places) const {
    std::stable_sort(places.begin(), places.end(), [this](const Place& a, const Place& b) {
      const Standing& first = crowd_[a.index];
      const Standing& second = crowd_[b.index];
      if (a.turn != b.turn) return a.turn < b.turn;
      if (first.waits != second.waits) return first.waits;
      return first.quiet_since > second.quiet_since;
    });
  }

  // In the order that they have, each gets the next turn of its group.
  template <typename Group, typename GroupOf>
  void number(std::vector<Place>& places, const GroupOf& group_of) const {
    std::map<Group, std::size_t> next;
    for (Place& place : places) place.turn = next[group_of(crowd_[place.index].origin)]++;
  }

  const std::vector<Standing>& crowd_;
};

}  // namespace

std::uint64_t network_of(const SocketAddress& address) {
  if (address.any.sa_family != AF_INET6) return address.v4.sin_addr.s_addr;
  const in6_addr& v6 = address.v6.sin6_addr;
  std::uint64_t half = 0;
  if (!IN6_IS_ADDR_V4MAPPED(&v6)) {
    std::memcpy(&half, v6.s6_addr, sizeof half);
    return half;
  }
  std::uint32_t v4 = 0;
  std::memcpy(&v4, v6.s6_addr + 12, sizeof v4);
  return v4;
}

std::vector<std::size_t> most_deserving_first(const std::vector<Standing>& crowd) {
  return Order(crowd).find();
}

std::vector<std::size_t> who_gives_way(const std::vector<Standing>& crowd,
                                       std::chrono::steady_clock::time_point now,
                                       const Eviction& eviction) {
  std::vector<std::size_t> chosen;
  const std::vector<std::size_t> order = most_deserving_first(crowd);
  for (auto one = order.rbegin(); one != order.rend() && chosen.size() < eviction.count; ++one) {
    const Standing& standing = crowd[*one];
    const bool may_go = eviction.any || !standing.waits;
    if (may_go && now - standing.quiet_since >= eviction.grace) chosen.push_back(*one);
  }
  return chosen;
}

}  // namespace tofa::health
