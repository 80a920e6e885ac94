// SPDX-License-Identifier: BSD-3-Clause
// libpmix takes its orders from the environment. A program started by a launcher inherits what the
// launcher meant for its ranks, and would join that job instead of talking to the health service.
#pragma once

namespace tofa::health {

// Removes PMIX_*, OMPI_*, PRTE_*, ORTE_*, PMI* and Slurm's PMI variables. To be called before
// anything else.
void forget_launcher_environment();

}  // namespace tofa::health
