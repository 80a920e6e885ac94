// SPDX-License-Identifier: BSD-3-Clause
// The component as the runtime sees it: registration, opening, selection. Everything happens in
// mpirun; in a daemon the component only keeps a `tofa` that came with a shared parameter file away
// from the policy parser.
#include "adapter.h"

#include <stdio.h>

#include "opal/mca/base/base.h"
#include "orte/mca/rmaps/base/base.h"
#include "orte/util/proc_info.h"

// Above every stock mapper, so that ours is asked first; it declines every job that it did not
// place.
enum { kPriority = 200 };

static int register_component(void) {
  const int rc = tofa_parameters_register();
  if (rc == ORTE_SUCCESS && (ORTE_PROC_IS_HNP || ORTE_PROC_IS_DAEMON)) tofa_policy_take_parameter();
  return rc;
}

static int open_component(void) {
  if (!ORTE_PROC_IS_HNP) return ORTE_SUCCESS;
  if (tofa_request.error != NULL) {
    fprintf(stderr, "tofa: error: %s\n", tofa_request.error);
    // The framework's way for a component to stop the launch.
    ORTE_SET_MAPPING_DIRECTIVE(orte_rmaps_base.mapping, ORTE_MAPPING_CONFLICTED);
    return ORTE_ERR_SILENT;
  }
  return tofa_schizo_install();
}

static int query_component(mca_base_module_t** module, int* priority) {
  *module = NULL;
  *priority = 0;
  if (!ORTE_PROC_IS_HNP) return ORTE_ERROR;
  const int rc = tofa_placement_install();
  if (rc != ORTE_SUCCESS) return rc;
  *module = (mca_base_module_t*)&tofa_rmaps_module;
  *priority = kPriority;
  return ORTE_SUCCESS;
}

static int close_component(void) {
  tofa_schizo_remove();
  tofa_settings_clear(&tofa_request.settings);
  free(tofa_request.stock_policy);
  free(tofa_request.error);
  tofa_request = (tofa_orte_request){0};
  return ORTE_SUCCESS;
}

// The loader looks for this name.
__attribute__((visibility("default"))) orte_rmaps_base_component_t mca_rmaps_tofa_component = {
    .base_version =
        {
            ORTE_RMAPS_BASE_VERSION_2_0_0,
            .mca_component_name = "tofa",
            MCA_BASE_MAKE_VERSION(component, ORTE_MAJOR_VERSION, ORTE_MINOR_VERSION,
                                  ORTE_RELEASE_VERSION),
            .mca_open_component = open_component,
            .mca_close_component = close_component,
            .mca_query_component = query_component,
            .mca_register_component_params = register_component,
        },
    .base_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
};
