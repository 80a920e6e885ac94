// SPDX-License-Identifier: BSD-3-Clause
// Which hosts are attached to the same switch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tofa {
class Topology;
}

namespace tofa::health {

// For each host the switch that it is attached to, if the topology knows it and has switches.
using SwitchOfHost = std::vector<std::optional<std::uint32_t>>;
SwitchOfHost switches_of(const std::vector<std::string>& hosts, const Topology& topology);

}  // namespace tofa::health
