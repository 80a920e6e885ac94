// SPDX-License-Identifier: BSD-3-Clause
// Which nodes are so much more likely to fail than others that it is worth a detour to avoid them.
#pragma once

#include <vector>

#include "mapping/mapper.hpp"

namespace tofa {

// By node of the topology: by which share using it would raise the completion time, beyond what
// using an ordinary node does: a (exp(r - r0) - 1), where r = -log(1 - p), r0 is that of an
// ordinary node, and a what an abort costs. 0 for nodes that are not worth a detour, and for those
// that the job cannot do without; empty when all are. Where all nodes are equally likely to fail
// there is nothing to avoid: fewer and closer nodes are all that helps, and searches see to that
// anyway.
std::vector<double> costs_of_suspects(const MappingTask& task);

}  // namespace tofa
