// SPDX-License-Identifier: BSD-3-Clause
// The files of phases, NAME.phaseN.bytes.mtx and NAME.phaseN.messages.mtx, from counts whose
// receivers tell the phase as well (phases_join). Knows nothing of Open MPI.
#pragma once

#include "collection.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes the files of each phase in which anything was sent, for publication, or none. `collection`
// is one for phases_join(PHASES_MOST + 1, 0, ranks) ranks; `metadata` tells of the run. The number
// of phases, or minus an errno value.
int phase_files_write(struct collection* collection, uint32_t ranks, const char* stem,
                      const struct mtx_metadata* metadata, struct publication* publication);

#ifdef __cplusplus
}
#endif
