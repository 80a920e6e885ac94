// SPDX-License-Identifier: BSD-3-Clause
// See hosts.h.
#include "hosts.h"

#include <ompi_config.h>

#include <ompi/proc/proc.h>
#include <opal/mca/pmix/pmix.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char* own_host(void) {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? strdup(name) : NULL;
}

char** hosts_of_ranks(uint32_t ranks) {
  char** hosts = calloc((size_t)ranks + 1, sizeof *hosts);
  opal_process_name_t name = ompi_proc_local()->super.proc_name;
  uint32_t own = name.vpid;
  for (uint32_t rank = 0; hosts != NULL && rank < ranks; ++rank) {
    char* host = NULL;
    int rc;
    name.vpid = rank;
    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, OPAL_PMIX_HOSTNAME, &name, (void**)&host, OPAL_STRING);
    if (rc != OPAL_SUCCESS) host = rank == own ? own_host() : NULL;
    hosts[rank] = host;
  }
  return hosts;
}

void hosts_free(char** hosts, uint32_t ranks) {
  for (uint32_t rank = 0; hosts != NULL && rank < ranks; ++rank) free(hosts[rank]);
  free(hosts);
}
