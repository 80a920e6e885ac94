// SPDX-License-Identifier: BSD-3-Clause
// A module among those that adapt the command line to a "personality". Its parse_env is the last
// hook that runs, once per application context, before the runtime parses the mapping policy of the
// command line.
#include "adapter.h"

#include <stdio.h>
#include <stdlib.h>

#include "orte/mca/schizo/base/base.h"
#include "orte/orted/orted_submit.h"

static int parse_env(char* path, opal_cmd_line_t* command_line, char** source,
                     char*** destination) {
  (void)path;
  (void)command_line;
  (void)source;
  tofa_profiling_check(destination != NULL ? *destination : NULL);
  tofa_request.in_job_policy = tofa_request_matches(orte_cmd_options.mapping_policy);
  if (tofa_request.in_job_policy && !tofa_policy_take(&orte_cmd_options.mapping_policy)) {
    fprintf(stderr, "tofa: error: %s\n", tofa_request.error);
    return ORTE_ERR_SILENT;
  }
  if (tofa_request.active) {
    tofa_policy_hide(&environ);
    tofa_policy_hide(destination);
    tofa_policy_hide_from_daemons();
  }
  return ORTE_SUCCESS;
}

static orte_schizo_base_module_t module = {.parse_env = parse_env};
static orte_schizo_base_active_module_t* entry;

int tofa_schizo_install(void) {
  if (entry != NULL) return ORTE_SUCCESS;
  entry = OBJ_NEW(orte_schizo_base_active_module_t);
  if (entry == NULL) return ORTE_ERR_OUT_OF_RESOURCE;
  entry->pri = -1;  // last: the stock modules have filled the environment by then
  entry->module = &module;
  entry->component = (mca_base_component_t*)&mca_rmaps_tofa_component;
  opal_list_append(&orte_schizo_base.active_modules, &entry->super);
  return ORTE_SUCCESS;
}

// The component may be unloaded before that framework calls its modules for the last time.
void tofa_schizo_remove(void) {
  if (entry == NULL) return;
  opal_list_remove_item(&orte_schizo_base.active_modules, &entry->super);
  OBJ_RELEASE(entry);
  entry = NULL;
}
