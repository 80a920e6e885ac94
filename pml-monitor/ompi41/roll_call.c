// SPDX-License-Identifier: BSD-3-Clause
// The roll call goes over PMIx: each rank adds one key to the data all ranks exchange in MPI_Init
// anyway.
#include "roll_call.h"

#include <ompi_config.h>

#include <ompi/proc/proc.h>
#include <opal/mca/pmix/base/base.h>
#include <opal/mca/pmix/pmix.h>

static const char key[] = "pml.tofa.present";

bool roll_call_announce(void) {
  uint32_t version = 1;
  int rc;
  OPAL_MODEX_SEND_VALUE(rc, OPAL_PMIX_GLOBAL, (char*)key, &version, OPAL_UINT32);
  return rc == OPAL_SUCCESS;
}

bool roll_call_present(uint32_t world_rank) {
  opal_process_name_t name = ompi_proc_local()->super.proc_name;
  // Without the collective exchange (pmix_base_collect_data 0) a missing key cannot be told from
  // one that has not arrived yet.
  if (name.vpid == world_rank || !opal_pmix_collect_all_data) return true;
  name.vpid = world_rank;
  uint32_t version;
  uint32_t* answer = &version;
  int rc;
  OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, key, &name, &answer, OPAL_UINT32);
  return rc == OPAL_SUCCESS;
}
