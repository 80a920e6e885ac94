// SPDX-License-Identifier: BSD-3-Clause
// NAME.declared.mtx: what the program has told MPI about who neighbours whom, sent or not. Knows
// nothing of Open MPI.
#pragma once

#include "collection.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes it for publication, where there is anything. 0 or an errno value.
int declared_file_write(struct collection* collection, const char* stem,
                        const struct mtx_metadata* metadata, struct publication* publication);

#ifdef __cplusplus
}
#endif
