// SPDX-License-Identifier: BSD-3-Clause
// What processes tell each other in MPI_Init, so that those that create topologies in our way know
// each other: the version of what they say to each other, and the list of topo components that was
// asked for, which may leave ours out.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#define TOFA_TOPO_KEY "topo.tofa.present"

enum { TOFA_TOPO_PROTOCOL = 1 };

// FNV-1a of both.
static inline uint32_t topo_announcement(void) {
  const char* components = getenv("OMPI_MCA_topo");
  uint32_t hash = 2166136261U ^ TOFA_TOPO_PROTOCOL;
  for (const char* at = components != NULL ? components : ""; *at != '\0'; ++at) {
    hash = (hash ^ (unsigned char)*at) * 16777619U;
  }
  return hash;
}
