// SPDX-License-Identifier: BSD-3-Clause
// Says before the run, once, that the ranks will not be profiled although that was asked for.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "monitor_hint.h"
#include "opal/mca/base/base.h"

// Of an application context, or else of mpirun itself; NULL: not set.
static const char* variable(char** environment, const char* name) {
  const size_t length = strlen(name);
  for (char** entry = environment; entry != NULL && *entry != NULL; ++entry) {
    if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  }
  return getenv(name);
}

static const char* asked_for(char** environment) {
  const char* enable = variable(environment, "OMPI_MCA_pml_monitoring_enable");
  return enable != NULL ? enable : variable(environment, "OMPI_MCA_pml_tofa_enable");
}

void tofa_profiling_check(char** environment) {
  static bool said;
  if (said) return;
  const char* pml = variable(environment, "OMPI_MCA_pml");
  char* instead = tofa_monitor_hint(asked_for(environment), pml);
  if (instead != NULL) {
    said = true;
    fprintf(stderr,
            "tofa: this job is not profiled: --mca pml %s leaves the monitor out; write "
            "--mca pml %s\n",
            pml, instead);
    free(instead);
    return;
  }
  // Without a list of its own, the job takes what it finds.
  instead = tofa_monitor_hint(asked_for(environment), "ob1");
  const bool wanted = instead != NULL && (pml == NULL || pml[0] != '^');
  free(instead);
  if (!wanted || mca_base_component_path == NULL || tofa_monitor_is_in(mca_base_component_path)) {
    return;
  }
  said = true;
  fprintf(stderr,
          "tofa: mca_pml_tofa.so is in none of the folders of mca_base_component_path (%s), so "
          "ranks on this host are not profiled by tofa; put it beside mca_rmaps_tofa.so\n",
          mca_base_component_path);
}
