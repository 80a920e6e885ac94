// SPDX-License-Identifier: BSD-3-Clause
// NAME.sizes.txt: for each pair of ranks, how many messages of which size, from counts in parts
// (parts.h). Its head is that of the graphs; a line is sender + 1, receiver + 1, the fewest bytes
// of the sizes that are counted together (0, 1, 2, 4, 8 and so on, to below the next), and
// messages. Knows nothing of Open MPI.
#pragma once

#include "collection.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes it for publication. `collection` is as for phase_files_write. 0 or an errno value.
int sizes_file_write(struct collection* collection, uint32_t ranks, const char* stem,
                     const struct mtx_metadata* metadata, struct publication* publication);

#ifdef __cplusplus
}
#endif
