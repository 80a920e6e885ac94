// SPDX-License-Identifier: BSD-3-Clause
// See peers.h. Everything was exchanged in MPI_Init; nothing is waited for here.
#include "peers.h"

#include <ompi/group/group.h>
#include <ompi/proc/proc.h>
#include <opal/mca/pmix/pmix.h>
#include <stdint.h>
#include <stdlib.h>

#include "announcement.h"

// False where the process has not told, or not to us.
static bool told(opal_process_name_t name, const char* key, uint32_t* value) {
  int rc;
  OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, key, &name, &value, OPAL_UINT32);
  return rc == OPAL_SUCCESS;
}

bool peers_take_part(const ompi_communicator_t* comm) {
  opal_jobid_t job = ompi_proc_local()->super.proc_name.jobid;
  for (int i = 0; i < comm->c_local_group->grp_proc_count; ++i) {
    opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, i);
    uint32_t value = 0;
    if (name.jobid != job || !told(name, TOFA_TOPO_KEY, &value)) return false;
    if (value != topo_announcement()) return false;
  }
  return true;
}

bool peers_are_apart(const ompi_communicator_t* comm) {
  return ompi_group_have_remote_peers(comm->c_local_group);
}

char** peers_hosts(const ompi_communicator_t* comm) {
  int count = comm->c_local_group->grp_proc_count;
  char** hosts = calloc((size_t)count + 1, sizeof *hosts);
  for (int i = 0; hosts != NULL && i < count; ++i) {
    opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, i);
    int rc;
    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, OPAL_PMIX_HOSTNAME, &name, (void**)&hosts[i], OPAL_STRING);
    if (rc != OPAL_SUCCESS) hosts[i] = NULL;
  }
  return hosts;
}

void peers_free_hosts(char** hosts, int count) {
  for (int i = 0; hosts != NULL && i < count; ++i) free(hosts[i]);
  free(hosts);
}
