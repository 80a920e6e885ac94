// SPDX-License-Identifier: BSD-3-Clause
// The PML component `tofa`: watches who sends how much to whom. It is never selected as a PML; it
// lets the others compete, and when Open MPI closes the losers, it puts itself in front of the
// winner.
#include <ompi_config.h>

#include <ompi/constants.h>
#include <ompi/mca/pml/base/base.h>
#include <ompi/mca/pml/pml.h>
#include <ompi/proc/proc.h>
#include <opal/mca/base/mca_base_component_repository.h>
#include <opal/util/argv.h>
#include <opal/util/output.h>
#include <string.h>

#include "dump.h"
#include "interpose.h"
#include "parameters.h"
#include "roll_call.h"
#include "stock.h"

static int component_register(void);
static int component_open(void);
static int component_close(void);
static mca_pml_base_module_t* component_init(int* priority, bool progress_threads,
                                             bool mpi_threads);

// Open MPI looks the component up by this name.
__attribute__((visibility("default"))) mca_pml_base_component_2_0_0_t mca_pml_tofa_component = {
    .pmlm_version = {MCA_PML_BASE_VERSION_2_0_0, .mca_component_name = "tofa",
                     .mca_component_major_version = OMPI_MAJOR_VERSION,
                     .mca_component_minor_version = OMPI_MINOR_VERSION,
                     .mca_component_release_version = OMPI_RELEASE_VERSION,
                     .mca_register_component_params = component_register,
                     .mca_open_component = component_open, .mca_close_component = component_close},
    .pmlm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .pmlm_init = component_init,
};

static struct monitor_parameters parameters;
static bool competing;  // the selection has started with us in it

static int component_register(void) {
  parameters_register(&mca_pml_tofa_component.pmlm_version);
  return OMPI_SUCCESS;
}

// Open MPI considers only components in this list, and reads `--mca pml LIST` as one name: its
// first. With us in first place, say for it which PML the user wants besides us.
static void name_the_other(void) {
  char** list = NULL;
  int index = mca_base_var_find("ompi", "pml", NULL, NULL);
  if (index < 0 || mca_base_var_get_value(index, &list, NULL, NULL) != OPAL_SUCCESS) return;
  if (list == NULL || list[0] == NULL) return;
  char** names = opal_argv_split(list[0], ',');
  if (names != NULL && names[0] != NULL && strcmp(names[0], "tofa") == 0 && names[1] != NULL) {
    opal_pointer_array_add(&mca_pml_base_pml, strdup(names[1]));
  }
  opal_argv_free(names);
}

// With monitoring off the component is unloaded right here.
static int component_open(void) {
  parameters = parameters_take();
  if (parameters.enable == 0) {
    free(parameters.filename);
    name_the_other();
    return OPAL_ERR_NOT_AVAILABLE;
  }
  opal_pointer_array_add(&mca_pml_base_pml, strdup("tofa"));
  name_the_other();
  return OMPI_SUCCESS;
}

static mca_pml_base_module_t* component_init(int* priority, bool progress_threads,
                                             bool mpi_threads) {
  static mca_pml_base_module_t never_selected;
  (void)progress_threads, (void)mpi_threads;
  bool alone = opal_list_get_size(&ompi_pml_base_framework.framework_components) < 2;
  if (alone && ompi_proc_local()->super.proc_name.vpid == 0) {
    opal_output(0, "pml tofa: there is no PML to watch; name one, as in --mca pml ob1,tofa");
  }
  if (alone || !roll_call_announce()) return NULL;
  competing = true;
  *priority = -1;  // never wins, not even when no real PML can run here
  return &never_selected;
}

// Open MPI closes the components that were not selected just after it has installed the one that
// was.
static int component_close(void) {
  if (!competing) return OMPI_SUCCESS;
  competing = false;
  const mca_base_component_t* self = &mca_pml_tofa_component.pmlm_version;
  int rc =
      mca_base_component_repository_retain_component(self->mca_type_name, self->mca_component_name);
  if (rc == OPAL_SUCCESS) {
    if (parameters.stock) stock_wake(parameters.enable);
    dump_prepare(&parameters);
    rc = interpose_install(
        parameters.sizes,
        &(struct monitor_owner){.start = dump_start, .finish = dump_counts, .end = dump_end});
  }
  opal_output_verbose(10, ompi_pml_base_framework.framework_output, "tofa: %s component %s",
                      rc == OMPI_SUCCESS ? "watching" : "could not watch",
                      mca_pml_base_selected_component.pmlm_version.mca_component_name);
  return rc;
}
