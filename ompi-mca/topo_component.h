// SPDX-License-Identifier: BSD-3-Clause
// How processes learn in MPI_Init which others have the component, and how those that tell them
// (op/tofa) or want to hear from it (pml-monitor) find topo/tofa in Open MPI's list of components.
#pragma once

#include <ompi_config.h>

#include <ompi/constants.h>
#include <ompi/mca/topo/base/base.h>
#include <ompi/mca/topo/topo.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// The value is the version of what processes say to each other.
#define TOFA_TOPO_KEY "topo.tofa.present"

enum { TOFA_TOPO_PROTOCOL = 4 };

// More behind the component than Open MPI knows of.
struct tofa_topo_component {
  mca_topo_base_component_2_2_0_t component;
  uint32_t protocol;
  // False: says nothing to others. From true on, this process serves those that are ready, whatever
  // becomes of the announcement.
  bool (*announced)(void);
  // If not NULL, hears of each edge that the program declares from this process to a rank of
  // MPI_COMM_WORLD, on any thread.
  void (*declared)(uint32_t rank, uint64_t weight);
};

// Opens Open MPI's components for topologies, as their first use would. NULL: ours is not among
// them, or of another version.
static inline struct tofa_topo_component* topo_find_component(void) {
  if (mca_topo_base_lazy_init() != OMPI_SUCCESS) return NULL;
  mca_base_component_list_item_t* item;
  OPAL_LIST_FOREACH(item, &ompi_topo_base_framework.framework_components,
                    mca_base_component_list_item_t) {
    if (strcmp(item->cli_component->mca_component_name, "tofa") != 0) continue;
    struct tofa_topo_component* ours = (struct tofa_topo_component*)item->cli_component;
    return ours->protocol == TOFA_TOPO_PROTOCOL ? ours : NULL;
  }
  return NULL;
}
