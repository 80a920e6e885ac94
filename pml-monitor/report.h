// SPDX-License-Identifier: BSD-3-Clause
// The files of one job, written row by row. They appear with all other files of a result, see
// publication.h. Knows nothing of Open MPI.
#pragma once

#include <stdbool.h>

#include "mtx_writer.h"
#include "partner_table.h"
#include "publication.h"

#ifdef __cplusplus
extern "C" {
#endif

// A phase for each class of traffic, with its number, and one for all of it.
enum report_phase { REPORT_ALL = TRAFFIC_CLASSES, REPORT_PHASES };

struct report {
  struct {
    struct mtx_writer bytes, messages;
  } files[REPORT_PHASES];
  bool wanted[REPORT_PHASES];
  const char* failed;  // after an error: the path it happened to, valid until report_discard
};

// "user", "collective" and so on; "all".
const char* report_phase_name(enum report_phase phase);

// STEM.bytes.mtx, STEM.user.messages.mtx and so on; for the caller to free.
char* report_path(const char* stem, enum report_phase phase, bool messages);

// Opens STEM.bytes.mtx and STEM.messages.mtx and, when the classes of traffic are wanted apart,
// STEM.user.*, STEM.collective.*, and of other classes the files of those that have any traffic.
// `entries` is the number of pairs of each; metadata's quantity is filled in here, and the class is
// its phase, or comes behind the phase that it has. All return 0 or an errno value; report_discard
// is for after any of them, failed or not.
int report_open(struct report* report, const char* stem, bool apart,
                const struct mtx_metadata* metadata, const uint64_t entries[REPORT_PHASES]);
int report_write(struct report* report, uint32_t sender, const struct partner_row* rows,
                 size_t count);
// Hands all files over.
int report_finish(struct report* report, struct publication* publication);
void report_discard(struct report* report);

// Adds to `entries` how many of the rows each phase has.
void report_count_entries(const struct partner_row* rows, size_t count,
                          uint64_t entries[REPORT_PHASES]);

#ifdef __cplusplus
}
#endif
