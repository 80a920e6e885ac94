// SPDX-License-Identifier: BSD-3-Clause
// NAME.estimated.bytes.mtx and .messages.mtx: what would have been sent if collectives that were
// made by other means had gone by messages. These are in no other file; the head says how they were
// estimated. Knows nothing of Open MPI.
#pragma once

#include "collection.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes them for publication, where there is anything. 0 or an errno value.
int estimated_files_write(struct collection* collection, const char* stem,
                          const struct mtx_metadata* metadata, struct publication* publication);

#ifdef __cplusplus
}
#endif
