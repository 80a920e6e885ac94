// SPDX-License-Identifier: BSD-3-Clause
// slurm: what Slurm does by itself, ranks in blocks on the nodes it takes.
#include "replay/policy.hpp"

namespace tofa {
namespace {

NodeChoice choose_slurm(const PolicyTask& task) {
  return task.by_default;
}

}  // namespace

extern constexpr ReplayPolicy kSlurmPolicy{"slurm", "Slurm", choose_slurm};

}  // namespace tofa
