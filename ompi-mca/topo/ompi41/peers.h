// SPDX-License-Identifier: BSD-3-Clause
// What PMIx knows of the processes of a communicator. Processes that lack the component create
// topologies as Open MPI does by itself, and would never answer what ours ask.
#pragma once

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <stdbool.h>

// Whether all processes of the communicator are of this job and have announced in MPI_Init what
// this one has. All of them get the same answer.
bool peers_take_part(const ompi_communicator_t* comm);

// Whether any of them is on another node.
bool peers_are_apart(const ompi_communicator_t* comm);

// The hosts of all of them, NULL where not known; for peers_free_hosts. NULL: no memory.
char** peers_hosts(const ompi_communicator_t* comm);
void peers_free_hosts(char** hosts, int count);
