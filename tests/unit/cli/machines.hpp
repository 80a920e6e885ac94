// SPDX-License-Identifier: BSD-3-Clause
// Machines that tests draw.
#pragma once

#include <memory>
#include <string>

#include "tofa/topology.hpp"

namespace tofa::cli {

// By the lines of its table [topology].
inline std::unique_ptr<Topology> machine(const std::string& lines) {
  return parse_topology("[topology]\n" + lines + "\n", "machine.toml");
}

inline std::unique_ptr<Topology> torus(const std::string& shape, const std::string& nodes) {
  return machine("kind = \"torus\"\nshape = [" + shape + "]\nnodes = \"" + nodes + "\"");
}

}  // namespace tofa::cli
