// SPDX-License-Identifier: BSD-3-Clause
// Where a result goes. The place is taken while the program starts, so that whoever cannot write
// there learns it before the run and not after, and no earlier result is replaced: a folder
// STEM.counts stands for it until the files do. Knows nothing of Open MPI.
#pragma once

#include <dirent.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct result_place {
  char* stem;    // what the names of the files start with
  char* folder;  // STEM.counts
  char* failed;  // after an error: the path it happened to
  DIR* lock;     // on the folder: whoever finds it locked knows that this process lives
  bool overwrite;
};

// Takes `wanted`, or where that has a result, or a run that has not ended, WANTED.1, WANTED.2 ...
// With `overwrite`, also where it has a result or what a dead run left; where a run lives, a name
// that is free, and `overwrite` of the place is false. Returns 0 or an errno value; release is for
// after both.
int result_place_take(struct result_place* place, const char* wanted, bool overwrite);
void result_place_release(struct result_place* place);

// The files are there: the folder goes, with the counts of ranks in it.
void result_place_clear(const struct result_place* place);

// STEM.counts; for the caller to free.
char* result_folder(const char* stem);

#ifdef __cplusplus
}
#endif
