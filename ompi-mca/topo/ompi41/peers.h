// SPDX-License-Identifier: BSD-3-Clause
// What PMIx knows of the processes of a communicator.
#pragma once

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <stdbool.h>

// Whether these ranks of the communicator are of this job and have announced the component: where
// that is not known yet, PMIx is asked for topo_tofa_ask seconds, once. False says nothing for
// certain.
bool peers_announced(const ompi_communicator_t* comm, int first_rank, int ranks);

// From now on, this one has not.
void peers_count_out(const ompi_communicator_t* comm, int rank);

// When no communicator is made any more.
void peers_forget(void);

// Whether any of them is on another node.
bool peers_are_apart(const ompi_communicator_t* comm);

// The hosts of all of them, NULL where not known; for peers_free_hosts. NULL: no memory.
char** peers_hosts(const ompi_communicator_t* comm);
void peers_free_hosts(char** hosts, int count);
