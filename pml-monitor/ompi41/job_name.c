// SPDX-License-Identifier: BSD-3-Clause
// See job_name.h. mpirun's namespaces are the numbers of jobs; others' are known of jobs that this
// process has had to do with.
#include "job_name.h"

#include <ompi_config.h>

#include <ompi/proc/proc.h>
#include <opal/mca/pmix/pmix.h>

const char* job_name(uint32_t job) {
  return opal_pmix.get_nspace != NULL ? opal_pmix.get_nspace(job) : NULL;
}

const char* job_name_own(void) {
  return job_name(ompi_proc_local()->super.proc_name.jobid);
}
