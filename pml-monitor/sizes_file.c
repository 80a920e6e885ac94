// SPDX-License-Identifier: BSD-3-Clause
// See sizes_file.h. Two passes, because the head says how many lines follow.
#define _GNU_SOURCE  // asprintf

#include "sizes_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "parts.h"

static const char banner[] =
    "%%tofa message sizes\n"
    "% sender, receiver, fewest bytes (0, 1, 2, 4, 8, ... to below the next), messages";

struct sizes {
  struct mtx_writer writer;
  uint32_t ranks;
  uint64_t entries;
};

static uint64_t messages_of(const struct sizes* sizes, const struct partner_row* row) {
  uint64_t messages = 0;
  if (row->rank / sizes->ranks < PARTS_OF_SIZES) return 0;
  for (int kind = 0; kind < TRAFFIC_CLASSES; ++kind) messages += row->messages[kind];
  return messages;
}

static int count_row(void* context, uint32_t sender, const struct partner_row* row) {
  struct sizes* sizes = context;
  (void)sender;
  sizes->entries += messages_of(sizes, row) > 0;
  return 0;
}

static int write_row(void* context, uint32_t sender, const struct partner_row* row) {
  struct sizes* sizes = context;
  uint64_t messages = messages_of(sizes, row);
  if (messages == 0) return 0;
  uint64_t receiver = row->rank % sizes->ranks;
  uint32_t bin = (uint32_t)(row->rank / sizes->ranks) - PARTS_OF_SIZES;
  fprintf(sizes->writer.stream, "%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sender + 1,
          receiver + 1, size_bin_start(bin), messages);
  return ferror(sizes->writer.stream) ? EIO : 0;
}

int sizes_file_write(struct collection* collection, uint32_t ranks, const char* stem,
                     const struct mtx_metadata* metadata, struct publication* publication) {
  char* path = NULL;
  if (asprintf(&path, "%s.sizes.txt", stem) < 0) return ENOMEM;
  struct sizes sizes = {.ranks = ranks};
  struct mtx_metadata own = *metadata;
  own.quantity = "sizes";
  own.phase = "all";
  int error = collection_each_row(collection, count_row, &sizes);
  if (error == 0) error = mtx_create(&sizes.writer, path);
  if (error == 0) error = mtx_write_head_of(&sizes.writer, banner, &own, sizes.entries);
  if (error == 0) error = collection_each_row(collection, write_row, &sizes);
  if (error == 0) error = publication_take(publication, &sizes.writer);
  mtx_discard(&sizes.writer);
  free(path);
  return error;
}
