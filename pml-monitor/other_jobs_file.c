// SPDX-License-Identifier: BSD-3-Clause
// See other_jobs_file.h.
#define _GNU_SOURCE  // asprintf

#include "other_jobs_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writing {
  FILE* stream;
  job_name_fn name_of_job;
};

char* other_jobs_path(const char* stem) {
  char* path = NULL;
  return asprintf(&path, "%s.other-jobs.txt", stem) < 0 ? NULL : path;
}

// A name must not look like several columns.
static const char* usable(const char* name) {
  bool good = name != NULL && name[0] != '\0' && strpbrk(name, " \t\r\n") == NULL;
  return good ? name : NULL;
}

static const char* class_of(int kind) {
  return kind == TRAFFIC_FETCHED ? "fetched" : report_phase_name((enum report_phase)kind);
}

static int write_row(void* context, uint32_t sender, uint64_t set, const struct partner_row* row) {
  const struct writing* writing = context;
  if (!partners_are_of_a_job(set)) return 0;
  uint32_t job = (uint32_t)set;
  char number[16];
  snprintf(number, sizeof number, "%" PRIu32, job);
  const char* name = usable(writing->name_of_job != NULL ? writing->name_of_job(job) : NULL);
  for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
    if (row->messages[kind] == 0) continue;
    fprintf(writing->stream, "%" PRIu32 " %s %" PRIu64 " %s %" PRIu64 " %" PRIu64 "\n", sender,
            name != NULL ? name : number, row->rank, class_of(kind), row->messages[kind],
            row->bytes[kind]);
  }
  return 0;
}

int other_jobs_write(struct mtx_writer* writer, const char* stem,
                     const struct mtx_metadata* metadata, struct collection* collection,
                     job_name_fn name_of_job) {
  if (collection_to_other_jobs(collection).rows == 0) return 0;
  char* path = other_jobs_path(stem);
  if (path == NULL) return ENOMEM;
  int error = mtx_create(writer, path);
  free(path);
  if (error != 0) return error;
  struct mtx_metadata own = *metadata;
  own.quantity = "other-jobs";
  own.phase = report_phase_name(REPORT_ALL);
  error = mtx_write_tofa_line(writer, &own);
  fputs("%rank job peer class messages bytes\n", writer->stream);
  struct writing writing = {.stream = writer->stream, .name_of_job = name_of_job};
  if (error == 0) error = collection_each_row_beside(collection, write_row, &writing);
  return error == 0 && ferror(writer->stream) ? EIO : error;
}
