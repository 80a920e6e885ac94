// SPDX-License-Identifier: BSD-3-Clause
// Writes one Matrix Market coordinate file so that readers see all of it or nothing: into a
// temporary file beside the target, flushed to disk, renamed at the end. Knows nothing of Open MPI.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mtx_writer {
  FILE* stream;
  char* path;
  char* temporary;
  char* earlier;   // where the file is that was there before
  bool published;  // but not yet settled
};

// What the `%tofa {json}` comment line tells.
struct mtx_metadata {
  const char* quantity;  // "bytes", "messages", "sizes", "other-jobs" or "weight"
  const char* phase;  // "all", a class as "user", "estimated", "declared", a phase as "phase3", or
                      // a class in a phase: "phase3.user"
  const char* command;   // any text
  const char* date;      // ISO 8601, UTC
  const char* open_mpi;  // version
  uint32_t ranks;
  uint32_t missing_ranks;       // ranks whose counts are not there
  const char* missing_list;     // which these are, as in "3,7-9"; NULL or empty: not told
  const char* partial_list;     // ranks whose counts are there in part
  uint64_t untracked_messages;  // to processes outside MPI_COMM_WORLD
  uint64_t untracked_bytes;
  const char* not_counted;  // names of what was used and is not counted; NULL or empty: nothing
  const char* estimated;    // how, where nothing was sent as it is written; NULL: it was
};

// All return 0 or an errno value. mtx_discard is for after any of them, failed or not.
int mtx_create(struct mtx_writer* writer, const char* path);
int mtx_write_head(struct mtx_writer* writer, const struct mtx_metadata* metadata,
                   uint64_t entries);
// Its line `%tofa {json}` alone, for files of other formats.
int mtx_write_tofa_line(struct mtx_writer* writer, const struct mtx_metadata* metadata);
// The whole head for another format that has one, with this first line or lines.
int mtx_write_head_of(struct mtx_writer* writer, const char* banner,
                      const struct mtx_metadata* metadata, uint64_t entries);
int mtx_write_entry(struct mtx_writer* writer, uint64_t row, uint64_t column, uint64_t value);
int mtx_flush(struct mtx_writer* writer);     // everything is on disk under the temporary name
int mtx_publish(struct mtx_writer* writer);   // everything appears under the final name
void mtx_retract(struct mtx_writer* writer);  // and goes again: what was there before is back
void mtx_settle(struct mtx_writer* writer);   // for good, and through a crash of the machine
void mtx_discard(struct mtx_writer* writer);

// The name of a file that does not exist yet, in the folder of `path`; for the caller to free, NULL
// when memory runs out.
char* mtx_temporary_name(const char* path);

// Any text as a JSON string; bytes outside ASCII become '?'.
void mtx_write_json_string(FILE* stream, const char* text);

#ifdef __cplusplus
}
#endif
