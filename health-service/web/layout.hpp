// SPDX-License-Identifier: BSD-3-Clause
// Where the page draws each host: planes of a torus or mesh by coordinates, otherwise the hosts
// below each switch, otherwise all in a row.
#pragma once

#include <string>
#include <vector>

namespace tofa {
class Topology;
}

namespace tofa::health {

struct LayoutGroup {
  std::string name;                // such as "z = 3" or a switch; empty where there is one group
  unsigned columns = 0;            // 0: as many as fit
  std::vector<std::string> hosts;  // by rows; empty strings are places without a host
  friend bool operator==(const LayoutGroup&, const LayoutGroup&) = default;
};

// Hosts that the topology does not have come last, in a group of their own. `topology` may be null.
std::vector<LayoutGroup> lay_out(const std::vector<std::string>& hosts, const Topology* topology);

// [{"name": ..., "columns": N, "hosts": [...]}, ...]
std::string layout_json(const std::vector<LayoutGroup>& layout);

}  // namespace tofa::health
