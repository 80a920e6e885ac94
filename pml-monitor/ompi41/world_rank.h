// SPDX-License-Identifier: BSD-3-Clause
// Which rank of MPI_COMM_WORLD a destination is.
#pragma once

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <ompi/group/group.h>
#include <stdbool.h>
#include <stdint.h>

// False when the destination belongs to another job (MPI_Comm_spawn, MPI_Comm_connect) or is no
// process at all.
bool world_rank_of(ompi_communicator_t* comm, int destination, uint32_t* world_rank);
bool world_rank_in(ompi_group_t* group, int member, uint32_t* world_rank);
