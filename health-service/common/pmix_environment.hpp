// SPDX-License-Identifier: BSD-3-Clause
// libpmix takes its orders from the environment. A program started by a launcher inherits what the
// launcher meant for its ranks, and would join that job instead of talking to the health service.
#pragma once

namespace tofa::health {

// Removes PMIX_*, OMPI_*, PRTE_*, ORTE_*, PMI* and Slurm's PMI variables, and gives a user without
// a home one: without HOME, libpmix 4.2 crashes for users that have no name, such as those that
// systemd makes up and those of containers. To be called before anything else.
void prepare_environment_of_pmix();

}  // namespace tofa::health
