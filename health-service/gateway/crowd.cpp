// SPDX-License-Identifier: BSD-3-Clause
// Counts the connections of each address anew: it is asked for only while there is a crowd.
#include "gateway/crowd.hpp"

#include <unordered_map>

namespace tofa::health {

std::optional<std::size_t> who_gives_way(const std::vector<Standing>& crowd,
                                         std::chrono::steady_clock::time_point now,
                                         std::chrono::steady_clock::duration grace) {
  std::unordered_map<std::uint32_t, std::size_t> connections;
  for (const Standing& one : crowd) ++connections[one.address];
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    const Standing& one = crowd[i];
    if (!one.may_go || now - one.quiet_since < grace) continue;
    if (!chosen) {
      chosen = i;
      continue;
    }
    const std::size_t mine = connections[one.address];
    const std::size_t theirs = connections[crowd[*chosen].address];
    if (mine > theirs || (mine == theirs && one.quiet_since < crowd[*chosen].quiet_since)) {
      chosen = i;
    }
  }
  return chosen;
}

}  // namespace tofa::health
