// SPDX-License-Identifier: BSD-3-Clause
// How processes learn in MPI_Init which others have the component, and how the component that tells
// them (op/tofa) finds the one it speaks for (topo/tofa) in Open MPI's list of those that are open.
#pragma once

#include <ompi_config.h>

#include <ompi/mca/topo/topo.h>
#include <stdbool.h>
#include <stdint.h>

// The value is the version of what processes say to each other.
#define TOFA_TOPO_KEY "topo.tofa.present"

enum { TOFA_TOPO_PROTOCOL = 2 };

// More behind the component than Open MPI knows of.
struct tofa_topo_component {
  mca_topo_base_component_2_2_0_t component;
  uint32_t protocol;
  // False: says nothing to others. From true on, this process serves those that are ready, whatever
  // becomes of the announcement.
  bool (*announced)(void);
};
