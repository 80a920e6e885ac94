// SPDX-License-Identifier: BSD-3-Clause
// See estimated_files.h.
#define _GNU_SOURCE  // asprintf

#include "estimated_files.h"

#include <errno.h>
#include <stdlib.h>

#include "schedules.h"

struct file {
  struct mtx_writer writer;
  bool messages;
};

static int write_row(void* context, uint32_t sender, uint64_t set, const struct partner_row* row) {
  struct file* file = context;
  if (set != PARTNERS_ESTIMATED) return 0;
  uint64_t sum = 0;
  for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
    sum += file->messages ? row->messages[kind] : row->bytes[kind];
  }
  return mtx_write_entry(&file->writer, (uint64_t)sender + 1, row->rank + 1, sum);
}

static int write_file(struct collection* collection, const char* stem,
                      const struct mtx_metadata* metadata, bool messages,
                      struct publication* publication) {
  struct file file = {.messages = messages};
  struct mtx_metadata own = *metadata;
  own.quantity = messages ? "messages" : "bytes";
  own.phase = "estimated";
  own.estimated = schedule_names;
  char* path = NULL;
  if (asprintf(&path, "%s.%s.%s.mtx", stem, own.phase, own.quantity) < 0) return ENOMEM;
  int error = mtx_create(&file.writer, path);
  free(path);
  uint64_t rows = collection_estimated(collection).rows;
  if (error == 0) error = mtx_write_head(&file.writer, &own, rows);
  if (error == 0) error = collection_each_row_beside(collection, write_row, &file);
  if (error == 0) error = publication_take(publication, &file.writer);
  mtx_discard(&file.writer);
  return error;
}

int estimated_files_write(struct collection* collection, const char* stem,
                          const struct mtx_metadata* metadata, struct publication* publication) {
  if (collection_estimated(collection).rows == 0) return 0;
  int error = write_file(collection, stem, metadata, true, publication);
  return error == 0 ? write_file(collection, stem, metadata, false, publication) : error;
}
