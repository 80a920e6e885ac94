// SPDX-License-Identifier: BSD-3-Clause
// See ranks_file.h.
#define _GNU_SOURCE  // asprintf

#include "ranks_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

char* ranks_path(const char* stem) {
  char* path = NULL;
  return asprintf(&path, "%s.ranks.json", stem) < 0 ? NULL : path;
}

static bool all_known(const struct run_facts* facts) {
  for (uint32_t rank = 0; facts->hosts != NULL && rank < facts->ranks; ++rank) {
    if (facts->hosts[rank] == NULL) return false;
  }
  return facts->hosts != NULL;
}

static void write_member(FILE* stream, const char* name, const char* text) {
  fprintf(stream, ",\n \"%s\": ", name);
  mtx_write_json_string(stream, text);
}

// Not by printf, whose decimal point is that of the user's locale.
static void write_seconds(FILE* stream, uint64_t microseconds) {
  fprintf(stream, "%" PRIu64 ".%06" PRIu64, microseconds / 1000000, microseconds % 1000000);
}

enum column { RUN, MPI, CALLS };

static void write_column(FILE* stream, const char* name, const struct run_facts* facts,
                         enum column column) {
  fprintf(stream, ",\n \"%s\": [", name);
  for (uint32_t rank = 0; rank < facts->ranks; ++rank) {
    const struct rank_time* time = &facts->times[rank];
    fputs(rank > 0 ? ", " : "", stream);
    if (column == CALLS) {
      fprintf(stream, "%" PRIu64, time->calls);
    } else {
      write_seconds(stream, column == RUN ? time->run : time->mpi);
    }
  }
  putc(']', stream);
}

// Of calls there is something to tell where any rank knows of them.
static void write_times(FILE* stream, const struct run_facts* facts) {
  bool calls = false;
  for (uint32_t rank = 0; rank < facts->ranks; ++rank) calls |= facts->times[rank].calls > 0;
  write_column(stream, "run_seconds", facts, RUN);
  if (!calls) return;
  write_column(stream, "mpi_seconds", facts, MPI);
  write_column(stream, "mpi_calls", facts, CALLS);
}

int ranks_write(struct mtx_writer* writer, const char* stem, const struct run_facts* facts) {
  char* path = ranks_path(stem);
  if (path == NULL) return ENOMEM;
  int error = mtx_create(writer, path);
  free(path);
  if (error != 0) return error;
  FILE* stream = writer->stream;
  fprintf(stream, "{\"version\": 1,\n \"ranks\": %" PRIu32, facts->ranks);
  write_member(stream, "command", facts->command);
  write_member(stream, "date", facts->date);
  write_member(stream, "open_mpi", facts->open_mpi);
  if (facts->job != NULL) write_member(stream, "job", facts->job);
  if (facts->name != NULL) write_member(stream, "namespace", facts->name);
  // Not by printf, whose decimal point is that of the user's locale.
  uint64_t milliseconds = facts->seconds > 0 ? (uint64_t)(facts->seconds * 1e3) : 0;
  fprintf(stream, ",\n \"seconds\": %" PRIu64 ".%03" PRIu64, milliseconds / 1000,
          milliseconds % 1000);
  if (facts->times != NULL) write_times(stream, facts);
  if (all_known(facts)) {
    fputs(",\n \"mapping\": [", stream);
    for (uint32_t rank = 0; rank < facts->ranks; ++rank) {
      fputs(rank > 0 ? ", " : "", stream);
      mtx_write_json_string(stream, facts->hosts[rank]);
    }
    putc(']', stream);
  }
  fputs("}\n", stream);
  return mtx_flush(writer);
}
