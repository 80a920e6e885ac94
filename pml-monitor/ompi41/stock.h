// SPDX-License-Identifier: BSD-3-Clause
// What Open MPI's own monitoring offers beside a graph: files in its format
// (pml_monitoring_enable_output), the MPI_T variables of its three components, and its counting of
// collectives and one-sided communication. Its PML component stays off, because two of a kind
// cannot stand in front of a PML; the rest of it runs, and hears from this component what its own
// would have counted.
//
// That it is there costs: it walks over all ranks of a communicator in each collective. So it only
// runs where it was asked for.
#pragma once

#include <ompi_config.h>

#include <ompi/proc/proc.h>

// To be called with the place that its switch is in, pml_monitoring_enable, while its PML component
// is loaded. False: this Open MPI does not have it.
bool stock_find(int* enable);

// When its PML component has been passed over, and before collective and one-sided components are
// asked whether they want to run.
void stock_wake(int enable);

// When its PML component has gone, and its variables with it: they are back. Not later than the
// first communicator is given its collectives.
void stock_register(void);

// What its PML component would have told it: processes that are new, a message, the end. Without
// stock_wake, these do nothing.
void stock_add_procs(ompi_proc_t** procs, size_t count);
void stock_count(uint32_t world_rank, uint64_t bytes, bool user);
void stock_finish(void);

bool stock_is_awake(void);
