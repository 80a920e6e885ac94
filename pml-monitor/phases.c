// SPDX-License-Identifier: BSD-3-Clause
// See phases.h. Rows are sorted by rank, and partners never go; so both looks at the counters are
// compared in one walk. Each counter is brought up to date on its own, and only then the next phase
// is on: whenever the process ends, what is not yet in a sum belongs to the phase that is.
#include "phases.h"

#include <stdlib.h>

#include "counts_format.h"

struct phases {
  struct partner_table* parts;
  uint32_t ranks;
  uint32_t current;
  struct partner_row* before;  // the counts when the current phase began
  size_t count;
};

struct phases* phases_new(struct partner_table* parts, uint32_t ranks) {
  struct phases* phases = calloc(1, sizeof *phases);
  if (phases == NULL) return NULL;
  phases->parts = parts;
  phases->ranks = ranks;
  return phases;
}

void phases_free(struct phases* phases) {
  if (phases == NULL) return;
  free(phases->before);
  free(phases);
}

static bool differ(const struct partner_row* now, const struct partner_row* before) {
  for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
    if (now->bytes[kind] != before->bytes[kind]) return true;
    if (now->messages[kind] != before->messages[kind]) return true;
  }
  return false;
}

// False: no memory.
static bool add_difference(const struct phases* phases, const struct partner_row* now,
                           const struct partner_row* before) {
  if (!differ(now, before)) return true;
  uint32_t number = parts_join(phases->current, (uint32_t)now->rank, phases->ranks);
  struct partner* sum = partner_table_find(phases->parts, number);
  for (int kind = 0; kind < TRAFFIC_KINDS && sum != NULL; ++kind) {
    partner_add_alone(&sum->bytes[kind], now->bytes[kind] - before->bytes[kind]);
    partner_add_alone(&sum->messages[kind], now->messages[kind] - before->messages[kind]);
  }
  return sum != NULL;
}

// What has been sent since the current phase began is part of it.
static bool close_current(const struct phases* phases, const struct partner_row* rows,
                          size_t count) {
  static const struct partner_row nothing;
  bool good = true;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    while (at < phases->count && phases->before[at].rank < rows[i].rank) ++at;
    bool known = at < phases->count && phases->before[at].rank == rows[i].rank;
    good &= add_difference(phases, &rows[i], known ? &phases->before[at] : &nothing);
  }
  return good;
}

bool phases_enter(struct phases* phases, uint32_t phase, struct partner_row* rows, size_t count) {
  bool known = phase <= PHASES_MOST;
  if (!known) phase = 0;
  bool good = close_current(phases, rows, count) && known;
  free(phases->before);
  phases->before = rows;
  phases->count = count;
  phases->current = phase;
  partner_table_set_phase(phases->parts, phase);
  return good;
}

uint32_t phases_current(const struct phases* phases) {
  return phases->current;
}
