// SPDX-License-Identifier: BSD-3-Clause
// See fetched.h. A merge of two sorted sequences: what was fetched, and the rows as they come.
#include "fetched.h"

#include <stdlib.h>

#include "parts.h"

struct transfer {
  uint32_t sender, receiver;
  uint64_t bytes, messages;
};

struct fetched_list {
  struct transfer* transfers;
  size_t count, room;
  size_t next;  // of the walk
};

struct fetched_list* fetched_new(void) {
  return calloc(1, sizeof(struct fetched_list));
}

void fetched_free(struct fetched_list* list) {
  if (list == NULL) return;
  free(list->transfers);
  free(list);
}

static bool make_room(struct fetched_list* list) {
  if (list->count < list->room) return true;
  size_t room = list->room > 0 ? 2 * list->room : 256;
  struct transfer* larger = realloc(list->transfers, room * sizeof *larger);
  if (larger == NULL) return false;
  list->transfers = larger;
  list->room = room;
  return true;
}

bool fetched_add(struct fetched_list* list, uint32_t receiver, uint32_t ranks,
                 const struct partner_row* rows, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t messages = rows[i].messages[TRAFFIC_FETCHED];
    if (messages == 0) continue;
    if (!make_room(list)) return false;
    uint32_t number = (uint32_t)rows[i].rank, part = number / ranks;
    list->transfers[list->count++] =
        (struct transfer){.sender = number % ranks,
                          .receiver = parts_join(part, receiver, ranks),
                          .bytes = rows[i].bytes[TRAFFIC_FETCHED],
                          .messages = messages};
  }
  return true;
}

static int compare(uint32_t sender, uint64_t receiver, const struct transfer* with) {
  if (sender != with->sender) return sender < with->sender ? -1 : 1;
  return (receiver > with->receiver) - (receiver < with->receiver);
}

static int by_sender(const void* a, const void* b) {
  const struct transfer* left = a;
  return compare(left->sender, left->receiver, b);
}

void fetched_start(struct fetched_list* list) {
  if (list->count > 0) qsort(list->transfers, list->count, sizeof *list->transfers, by_sender);
  list->next = 0;
}

static void join(struct fetched_list* list, struct partner_row* row) {
  const struct transfer* transfer = &list->transfers[list->next++];
  row->bytes[TRAFFIC_ONE_SIDED] += transfer->bytes;
  row->messages[TRAFFIC_ONE_SIDED] += transfer->messages;
}

static int visit_next(struct fetched_list* list, fetched_row_fn visit, void* context) {
  const struct transfer* transfer = &list->transfers[list->next];
  struct partner_row row = {.rank = transfer->receiver};
  join(list, &row);
  return visit(context, transfer->sender, &row);
}

int fetched_walk(struct fetched_list* list, uint32_t sender, const struct partner_row* rows,
                 size_t count, fetched_row_fn visit, void* context) {
  int error = 0;
  for (size_t i = 0; i < count && error == 0; ++i) {
    int order = -1;
    while (error == 0 && list->next < list->count &&
           (order = compare(sender, rows[i].rank, &list->transfers[list->next])) > 0) {
      error = visit_next(list, visit, context);
      order = -1;
    }
    struct partner_row row = rows[i];
    row.bytes[TRAFFIC_FETCHED] = row.messages[TRAFFIC_FETCHED] = 0;
    if (order == 0) join(list, &row);
    if (error == 0) error = visit(context, sender, &row);
  }
  return error;
}

int fetched_finish(struct fetched_list* list, fetched_row_fn visit, void* context) {
  int error = 0;
  while (error == 0 && list->next < list->count) error = visit_next(list, visit, context);
  return error;
}
