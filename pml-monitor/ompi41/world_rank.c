// SPDX-License-Identifier: BSD-3-Clause
// Every process has a name, (job, number in the job), and MPI_COMM_WORLD is built in the order of
// these numbers. So the world rank is part of the name and needs neither a search nor a table.
#include "world_rank.h"

#include <ompi/group/group.h>
#include <ompi/proc/proc.h>

bool world_rank_of(ompi_communicator_t* comm, int destination, uint32_t* world_rank) {
  return world_rank_in(comm->c_remote_group, destination, world_rank);
}

bool world_rank_in(ompi_group_t* group, int member, uint32_t* world_rank) {
  if (member < 0) return false;
  opal_process_name_t name = ompi_group_get_proc_name(group, member);
  if (name.jobid != ompi_proc_local()->super.proc_name.jobid) return false;
  *world_rank = name.vpid;
  return true;
}
