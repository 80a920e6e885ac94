// SPDX-License-Identifier: BSD-3-Clause
// Who gives way when there are as many connections as there may be. An honest client is through in
// a few milliseconds, so whoever has been quiet for longer than that may go: first one of the
// address that has most connections, so that nobody can crowd out all others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tofa::health {

struct Standing {
  std::uint32_t address = 0;  // IPv4
  std::chrono::steady_clock::time_point quiet_since;
  bool may_go = true;
};

// The index of the one of the busiest address that has been quiet for longest, for `grace` at
// least. Nothing when nobody has.
std::optional<std::size_t> who_gives_way(const std::vector<Standing>& crowd,
                                         std::chrono::steady_clock::time_point now,
                                         std::chrono::steady_clock::duration grace);

}  // namespace tofa::health
