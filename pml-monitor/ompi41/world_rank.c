// SPDX-License-Identifier: BSD-3-Clause
// Every process has a name, (job, number in the job), and MPI_COMM_WORLD is built in the order of
// these numbers. So the world rank is part of the name and needs neither a search nor a table.
#include "world_rank.h"

#include <ompi/group/group.h>
#include <ompi/proc/proc.h>

#include "partner_table.h"

bool world_rank_in(ompi_group_t* group, int member, uint64_t* set, uint32_t* world_rank) {
  if (member < 0) return false;
  opal_process_name_t name = ompi_group_get_proc_name(group, member);
  bool ours = name.jobid == ompi_proc_local()->super.proc_name.jobid;
  *set = ours ? PARTNERS_OURS : partners_of_job(name.jobid);
  *world_rank = name.vpid;
  return true;
}
