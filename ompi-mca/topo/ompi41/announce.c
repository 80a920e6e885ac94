// SPDX-License-Identifier: BSD-3-Clause
// The component op/tofa, which computes nothing: Open MPI loads components for topologies with the
// first topology that a program makes, when it is too late to tell other processes of them. Those
// for operations it opens in MPI_Init, before what processes have to tell is exchanged. The
// component for topologies is opened here, too: others count on it once it is announced.
#include <ompi_config.h>

#include <ompi/constants.h>
#include <ompi/mca/op/op.h>
#include <ompi/proc/proc.h>
#include <opal/mca/pmix/pmix.h>

#include "../../topo_component.h"

static int announce(void) {
  const struct tofa_topo_component* component = topo_find_component();
  if (component != NULL && component->announced()) {
    uint32_t value = TOFA_TOPO_PROTOCOL;
    int rc;
    OPAL_MODEX_SEND_VALUE(rc, OPAL_PMIX_GLOBAL, TOFA_TOPO_KEY, &value, OPAL_UINT32);
    (void)rc;  // who does not hear of us does without us
  }
  return OPAL_ERR_NOT_AVAILABLE;  // and that was all: unloaded right here
}

// Open MPI looks the component up by this name.
__attribute__((visibility("default"))) ompi_op_base_component_1_0_0_t mca_op_tofa_component = {
    .opc_version = {OMPI_OP_BASE_VERSION_1_0_0, .mca_component_name = "tofa",
                    .mca_component_major_version = OMPI_MAJOR_VERSION,
                    .mca_component_minor_version = OMPI_MINOR_VERSION,
                    .mca_component_release_version = OMPI_RELEASE_VERSION,
                    .mca_open_component = announce},
    .opc_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
};
