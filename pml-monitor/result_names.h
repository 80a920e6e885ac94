// SPDX-License-Identifier: BSD-3-Clause
// Which files are one result's, by their names. Knows nothing of Open MPI.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// A file called `name` is one that a result with this base name may have: BASE.bytes.mtx,
// BASE.user.messages.mtx, BASE.phase3.bytes.mtx, BASE.ranks.json and so on; not BASE.1.bytes.mtx
// or BASE.spawn2.bytes.mtx, which are results of their own.
bool result_owns(const char* base, const char* name);

// Calls `visit` with the path of each such file that is there; another value than 0 ends the walk
// and is returned. A folder that cannot be listed has none.
typedef int (*result_file_fn)(void* context, const char* path);
int result_each_file(const char* stem, result_file_fn visit, void* context);

#ifdef __cplusplus
}
#endif
