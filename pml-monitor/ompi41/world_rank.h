// SPDX-License-Identifier: BSD-3-Clause
// Which process a destination is: a rank of MPI_COMM_WORLD, or one of another job's.
#pragma once

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <ompi/group/group.h>
#include <stdbool.h>
#include <stdint.h>

// The set is one of partner_table.h: PARTNERS_OURS, or those of the job that the process belongs to
// (MPI_Comm_spawn, MPI_Comm_connect). False: the member is no process at all.
bool world_rank_in(ompi_group_t* group, int member, uint64_t* set, uint32_t* world_rank);
