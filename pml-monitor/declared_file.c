// SPDX-License-Identifier: BSD-3-Clause
// See declared_file.h.
#define _GNU_SOURCE  // asprintf

#include "declared_file.h"

#include <errno.h>
#include <stdlib.h>

static int write_row(void* context, uint32_t sender, uint64_t set, const struct partner_row* row) {
  if (set != PARTNERS_DECLARED) return 0;
  return mtx_write_entry(context, (uint64_t)sender + 1, row->rank + 1, row->bytes[TRAFFIC_USER]);
}

int declared_file_write(struct collection* collection, const char* stem,
                        const struct mtx_metadata* metadata, struct publication* publication) {
  uint64_t rows = collection_declared(collection).rows;
  if (rows == 0) return 0;
  struct mtx_metadata own = *metadata;
  own.quantity = "weight";
  own.phase = "declared";
  own.untracked_messages = own.untracked_bytes = 0;  // this is no traffic
  own.not_counted = NULL;
  struct mtx_writer writer = {0};
  char* path = NULL;
  if (asprintf(&path, "%s.declared.mtx", stem) < 0) return ENOMEM;
  int error = mtx_create(&writer, path);
  free(path);
  if (error == 0) error = mtx_write_head(&writer, &own, rows);
  if (error == 0) error = collection_each_row_beside(collection, write_row, &writer);
  if (error == 0) error = publication_take(publication, &writer);
  mtx_discard(&writer);
  return error;
}
