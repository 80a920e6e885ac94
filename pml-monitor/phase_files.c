// SPDX-License-Identifier: BSD-3-Clause
// See phase_files.h. The rows of a phase are picked out of all rows once for each phase.
#define _GNU_SOURCE  // asprintf

#include "phase_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

struct phase {
  struct report report;
  uint32_t number, ranks;
  bool apart;
  uint64_t entries[PHASES_MOST + 1][REPORT_PHASES];
};

static int count_entries(void* context, uint32_t sender, const struct partner_row* row) {
  struct phase* phase = context;
  (void)sender;
  uint64_t part = row->rank / phase->ranks;
  if (part <= PHASES_MOST) report_count_entries(row, 1, phase->entries[part]);
  return 0;
}

static int write_row(void* context, uint32_t sender, const struct partner_row* row) {
  struct phase* phase = context;
  if (row->rank / phase->ranks != phase->number) return 0;
  struct partner_row own = *row;
  own.rank = row->rank % phase->ranks;
  return report_write(&phase->report, sender, &own, 1);
}

static int write_phase(struct collection* collection, struct phase* phase, const char* stem,
                       const struct mtx_metadata* metadata, struct publication* publication) {
  char* own_stem = NULL;
  if (asprintf(&own_stem, "%s.phase%u", stem, (unsigned)phase->number) < 0) return ENOMEM;
  struct mtx_metadata own = *metadata;
  own.phase = strrchr(own_stem, '.') + 1;
  int error =
      report_open(&phase->report, own_stem, phase->apart, &own, phase->entries[phase->number]);
  if (error == 0) error = collection_each_row(collection, write_row, phase);
  if (error == 0) error = report_finish(&phase->report, publication);
  report_discard(&phase->report);
  free(own_stem);
  return error;
}

int phase_files_write(struct collection* collection, uint32_t ranks, const char* stem, bool apart,
                      const struct mtx_metadata* metadata, struct publication* publication) {
  struct phase* phase = calloc(1, sizeof *phase);
  if (phase == NULL) return -ENOMEM;
  phase->ranks = ranks;
  phase->apart = apart;
  int error = collection_each_row(collection, count_entries, phase);
  int written = 0;
  size_t before = publication->count;
  for (uint32_t number = 1; number <= PHASES_MOST && error == 0; ++number) {
    if (phase->entries[number][REPORT_ALL] == 0) continue;
    phase->number = number;
    error = write_phase(collection, phase, stem, metadata, publication);
    ++written;
  }
  if (error != 0) publication_cut(publication, before);  // all phases, or none
  free(phase);
  return error != 0 ? -error : written;
}
