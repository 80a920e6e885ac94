// SPDX-License-Identifier: BSD-3-Clause
// Which ranks run this component. They need not all do so: it may be missing on a node, and --mca
// belongs to one application of `mpirun A : B`. Waiting at MPI_Finalize for a rank that does not
// take part would hang the job.
#pragma once

#include "collection.h"

// Before the exchange of connection data in MPI_Init. False: nobody can learn that this rank takes
// part.
bool roll_call_announce(void);

// From the end of MPI_Init on. Where ranks have not exchanged all their data there
// (pmix_base_collect_data 0), this asks, and takes at most so many seconds for the answer.
bool roll_call_present(uint32_t world_rank, double limit_seconds);

// How many of the ranks that take part are not heard at all.
uint32_t roll_call_late(const struct collection* collection, uint32_t ranks);
