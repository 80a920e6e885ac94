// SPDX-License-Identifier: BSD-3-Clause
// See phases.h. Rows are sorted by rank, and partners never go; so two lists are joined in one
// walk.
#include "phases.h"

#include <stdlib.h>

struct list {
  struct partner_row* rows;
  size_t count;
};

struct phases {
  struct list before;  // the counts when the current phase began
  struct list sums[PHASES_MOST + 1];
  uint32_t current;
};

struct phases* phases_new(void) {
  return calloc(1, sizeof(struct phases));
}

void phases_free(struct phases* phases) {
  if (phases == NULL) return;
  free(phases->before.rows);
  for (int phase = 0; phase <= PHASES_MOST; ++phase) free(phases->sums[phase].rows);
  free(phases);
}

static uint64_t messages_of(const struct partner_row* row) {
  uint64_t messages = 0;
  for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) messages += row->messages[kind];
  return messages;
}

// sum += sign * row
static void add(struct partner_row* sum, const struct partner_row* row, bool negative) {
  for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
    sum->bytes[kind] += negative ? -row->bytes[kind] : row->bytes[kind];
    sum->messages[kind] += negative ? -row->messages[kind] : row->messages[kind];
  }
}

static const struct partner_row* next_of(const struct list* list, size_t at) {
  return at < list->count ? &list->rows[at] : NULL;
}

// left + right, or left - right; rows without messages are left out. False: no memory.
static bool join(const struct list* left, const struct list* right, bool minus, struct list* sum) {
  struct partner_row* rows = calloc(left->count + right->count + 1, sizeof *rows);
  if (rows == NULL) return false;
  size_t count = 0, a = 0, b = 0;
  while (a < left->count || b < right->count) {
    const struct partner_row* one = next_of(left, a);
    const struct partner_row* other = next_of(right, b);
    uint64_t rank =
        one == NULL || (other != NULL && other->rank < one->rank) ? other->rank : one->rank;
    struct partner_row row = {.rank = rank};
    if (one != NULL && one->rank == rank) add(&row, &left->rows[a++], false);
    if (other != NULL && other->rank == rank) add(&row, &right->rows[b++], minus);
    if (messages_of(&row) > 0) rows[count++] = row;
  }
  *sum = (struct list){rows, count};
  return true;
}

// What has been sent since the current phase began is part of it.
static bool close_current(struct phases* phases, const struct list* now) {
  if (phases->current == 0) return true;
  struct list sent = {0}, sum = {0};
  struct list* all = &phases->sums[phases->current];
  bool good = join(now, &phases->before, true, &sent) && join(all, &sent, false, &sum);
  free(sent.rows);
  if (!good) return false;
  free(all->rows);
  *all = sum;
  return true;
}

bool phases_enter(struct phases* phases, uint32_t phase, struct partner_row* rows, size_t count) {
  struct list now = {rows, count};
  if (phase > PHASES_MOST) {
    free(rows);
    return false;
  }
  bool good = close_current(phases, &now);
  free(phases->before.rows);
  phases->before = now;
  phases->current = phase;
  return good;
}

uint32_t phases_current(const struct phases* phases) {
  return phases->current;
}

size_t phases_rows(const struct phases* phases, uint32_t phase, const struct partner_row** rows) {
  const struct list* sum = &phases->sums[phase];
  *rows = sum->rows;
  return sum->count;
}
