// SPDX-License-Identifier: BSD-3-Clause
// All files of a result appear together: each is written under a temporary name and flushed to
// disk, then all get their names, STEM.bytes.mtx last. An earlier result goes before: first its
// STEM.bytes.mtx, then files that the new result does not have. So whoever finds STEM.bytes.mtx
// finds the files of one result beside it. When anything fails, all is as it was. Knows nothing of
// Open MPI.
#pragma once

#include "mtx_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct aside;

struct publication {
  struct mtx_writer* files;
  size_t count, room;
  struct aside* aside;  // files of an earlier result, under other names
  char* failed;         // after an error: the path it happened to
};

// Takes a file over that is written, and flushes it; the writer is empty afterwards. Returns 0 or
// an errno value, with which the writer stays the caller's.
int publication_take(struct publication* publication, struct mtx_writer* writer);

// Gives up all files that were taken after the first `count`.
void publication_cut(struct publication* publication, size_t count);

// 0 when those taken after the first `count` can get their names as far as one can tell, EISDIR
// when a folder has one. For files whose failure is not to keep the others back.
int publication_check(const struct publication* publication, size_t count);

// With `replace`, files of an earlier result go that this one does not have. 0 or an errno value.
int publication_commit(struct publication* publication, const char* stem, bool replace);

// For after commit, or instead of it: then nothing of the result is left.
void publication_discard(struct publication* publication);

#ifdef __cplusplus
}
#endif
