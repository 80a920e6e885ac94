// SPDX-License-Identifier: BSD-3-Clause
// See report.h.
#define _GNU_SOURCE  // asprintf

#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char* const phase_names[REPORT_PHASES] = {"user", "collective", "one-sided",
                                                       "io",   "library",    "all"};

static uint64_t sum_of(const uint64_t* classes, int phase) {
  if (phase != REPORT_ALL) return classes[phase];
  uint64_t sum = 0;
  for (int i = 0; i < TRAFFIC_CLASSES; ++i) sum += classes[i];
  return sum;
}

static uint64_t phase_messages(const struct partner_row* row, int phase) {
  return sum_of(row->messages, phase);
}

static uint64_t phase_bytes(const struct partner_row* row, int phase) {
  return sum_of(row->bytes, phase);
}

void report_count_entries(const struct partner_row* rows, size_t count,
                          uint64_t entries[REPORT_PHASES]) {
  for (size_t i = 0; i < count; ++i) {
    for (int phase = 0; phase < REPORT_PHASES; ++phase) {
      entries[phase] += phase_messages(&rows[i], phase) > 0;
    }
  }
}

static int fail(struct report* report, const struct mtx_writer* writer, int error) {
  if (error != 0) report->failed = writer->path != NULL ? writer->path : "(no memory)";
  return error;
}

const char* report_phase_name(enum report_phase phase) {
  return phase_names[phase];
}

char* report_path(const char* stem, enum report_phase phase, bool messages) {
  char* path = NULL;
  bool all = phase == REPORT_ALL;
  int length = asprintf(&path, "%s%s%s.%s.mtx", stem, all ? "" : ".", all ? "" : phase_names[phase],
                        messages ? "messages" : "bytes");
  return length < 0 ? NULL : path;
}

static int open_file(struct report* report, int phase, bool messages, const char* stem,
                     const struct mtx_metadata* metadata, uint64_t entries) {
  struct mtx_writer* writer =
      messages ? &report->files[phase].messages : &report->files[phase].bytes;
  struct mtx_metadata own = *metadata;
  char both[64];
  if (own.phase == NULL) {
    own.phase = phase_names[phase];
  } else if (phase != REPORT_ALL) {
    snprintf(both, sizeof both, "%s.%s", metadata->phase, phase_names[phase]);
    own.phase = both;
  }
  own.quantity = messages ? "messages" : "bytes";
  char* path = report_path(stem, (enum report_phase)phase, messages);
  if (path == NULL) return fail(report, writer, ENOMEM);
  int error = mtx_create(writer, path);
  free(path);
  if (error == 0) error = mtx_write_head(writer, &own, entries);
  return fail(report, writer, error);
}

// Most programs have traffic of the first two classes only.
static bool is_wanted(int phase, bool apart, uint64_t entries) {
  if (phase == REPORT_ALL) return true;
  return apart && (phase == TRAFFIC_USER || phase == TRAFFIC_COLLECTIVE || entries > 0);
}

int report_open(struct report* report, const char* stem, bool apart,
                const struct mtx_metadata* metadata, const uint64_t entries[REPORT_PHASES]) {
  *report = (struct report){0};
  int error = 0;
  for (int phase = 0; phase < REPORT_PHASES && error == 0; ++phase) {
    report->wanted[phase] = is_wanted(phase, apart, entries[phase]);
    if (!report->wanted[phase]) continue;
    error = open_file(report, phase, false, stem, metadata, entries[phase]);
    if (error == 0) error = open_file(report, phase, true, stem, metadata, entries[phase]);
  }
  return error;
}

int report_write(struct report* report, uint32_t sender, const struct partner_row* rows,
                 size_t count) {
  for (int phase = 0; phase < REPORT_PHASES; ++phase) {
    if (!report->wanted[phase]) continue;
    struct mtx_writer* bytes = &report->files[phase].bytes;
    struct mtx_writer* messages = &report->files[phase].messages;
    for (size_t i = 0; i < count; ++i) {
      uint64_t sent = phase_messages(&rows[i], phase);
      if (sent == 0) continue;
      uint64_t row = (uint64_t)sender + 1, column = rows[i].rank + 1;
      int error = mtx_write_entry(bytes, row, column, phase_bytes(&rows[i], phase));
      if (error != 0) return fail(report, bytes, error);
      error = mtx_write_entry(messages, row, column, sent);
      if (error != 0) return fail(report, messages, error);
    }
  }
  return 0;
}

int report_finish(struct report* report, struct publication* publication) {
  for (int phase = 0; phase < REPORT_PHASES; ++phase) {
    if (!report->wanted[phase]) continue;
    struct mtx_writer* writers[] = {&report->files[phase].messages, &report->files[phase].bytes};
    for (int i = 0; i < 2; ++i) {
      int error = publication_take(publication, writers[i]);
      if (error != 0) return fail(report, writers[i], error);
    }
  }
  return 0;
}

void report_discard(struct report* report) {
  for (int phase = 0; phase < REPORT_PHASES; ++phase) {
    mtx_discard(&report->files[phase].bytes);
    mtx_discard(&report->files[phase].messages);
  }
}
