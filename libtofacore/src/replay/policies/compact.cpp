// SPDX-License-Identifier: BSD-3-Clause
// compact: topology-aware selection. Several sets of free nodes that lie close together, Slurm's
// own among them; the one that suits the traffic best is taken, and never one that is worse than
// Slurm's.
#include "replay/quick_mapping.hpp"

namespace tofa {

extern constexpr ReplayPolicy kCompactPolicy{"compact", "compact", choose_compact};

}  // namespace tofa
