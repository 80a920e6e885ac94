// SPDX-License-Identifier: BSD-3-Clause
// Nodes that run on another node of a topology: they are where their host is, and fail when it
// fails.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tofa/topology.hpp"

namespace tofa {

// The inner topology with virtual hosts after its own nodes; hosts[i] is the node that
// virtual_hosts[i] runs on. Throws Error when a name is taken.
std::unique_ptr<Topology> make_hosted_topology(std::unique_ptr<Topology> inner,
                                               const std::vector<std::string>& virtual_hosts,
                                               std::vector<Node> hosts);

}  // namespace tofa
