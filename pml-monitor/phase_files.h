// SPDX-License-Identifier: BSD-3-Clause
// The files of phases, NAME.phaseN.bytes.mtx and NAME.phaseN.messages.mtx, from counts in parts
// (parts.h). Knows nothing of Open MPI.
#pragma once

#include "collection.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes the files of each phase in which anything was sent, for publication, or none; when the
// classes of traffic are wanted apart also those of each class. `collection` is one of `ranks`
// senders to PARTS_COUNT times as many receivers; `metadata` tells of the run. The number of
// phases, or minus an errno value.
int phase_files_write(struct collection* collection, uint32_t ranks, const char* stem, bool apart,
                      const struct mtx_metadata* metadata, struct publication* publication);

#ifdef __cplusplus
}
#endif
