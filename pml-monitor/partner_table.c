// SPDX-License-Identifier: BSD-3-Clause
// Open addressing over pointers to partners. Readers take no lock: they probe whatever index is
// current. Growth builds a larger index and publishes it; readers still in the old one find their
// partner there or fall back to the lock, so old indexes stay allocated until the end (together
// they are smaller than the current one).
#include "partner_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "counts_format.h"
#include "partner_arena.h"

enum { FIRST_BITS = 6 };

struct index {
  struct index* retired;  // the index this one replaced
  unsigned bits;          // capacity is 2 to this power
  size_t used;            // guarded by the table's lock
  _Atomic(struct partner*) slots[];
};

struct partner_table {
  _Atomic(struct index*) index;
  struct partner_arena* arena;
  pthread_mutex_t lock;
};

static size_t index_capacity(const struct index* index) {
  return (size_t)1 << index->bits;
}

static struct index* index_new(unsigned bits) {
  struct index* index = calloc(1, sizeof *index + (sizeof index->slots[0] << bits));
  if (index != NULL) index->bits = bits;
  return index;
}

// The slot that holds the rank, or the free slot where it belongs. There is always one: an index is
// at most half full.
static _Atomic(struct partner*)* index_slot(struct index* index, uint64_t set, uint32_t rank) {
  size_t mask = index_capacity(index) - 1;
  // Fibonacci hashing: partners are often a power of two apart, so the high bits of the product
  // decide.
  uint32_t key = rank ^ (uint32_t)(set * UINT64_C(11400714819323198485) >> 32);
  size_t at = (key * UINT32_C(2654435769)) >> (32 - index->bits);
  for (;; at = (at + 1) & mask) {
    struct partner* partner = atomic_load_explicit(&index->slots[at], memory_order_acquire);
    if (partner == NULL || (partner->rank == rank && partner->set == set)) return &index->slots[at];
  }
}

static struct partner* index_find(struct index* index, uint64_t set, uint32_t rank) {
  return atomic_load_explicit(index_slot(index, set, rank), memory_order_acquire);
}

static void index_add(struct index* index, struct partner* partner) {
  atomic_store_explicit(index_slot(index, partner->set, partner->rank), partner,
                        memory_order_release);
  ++index->used;
}

static struct partner_table* give_up(struct partner_table* table, struct index* index) {
  partner_arena_free(table->arena);
  free(index);
  free(table);
  return NULL;
}

struct partner_table* partner_table_new(struct partner_arena* arena) {
  struct partner_table* table = calloc(1, sizeof *table);
  if (table == NULL) {
    partner_arena_free(arena);
    return NULL;
  }
  table->arena = arena != NULL ? arena : partner_arena_new(NULL, NULL);
  struct index* index = index_new(FIRST_BITS);
  if (table->arena == NULL || index == NULL || pthread_mutex_init(&table->lock, NULL) != 0) {
    return give_up(table, index);
  }
  atomic_init(&table->index, index);
  return table;
}

void partner_table_free(struct partner_table* table) {
  if (table == NULL) return;
  struct index* index = atomic_load(&table->index);
  while (index != NULL) {
    struct index* older = index->retired;
    free(index);
    index = older;
  }
  pthread_mutex_destroy(&table->lock);
  partner_arena_free(table->arena);
  free(table);
}

void partner_table_count_untracked(struct partner_table* table, uint64_t bytes) {
  struct counts_head* head = partner_arena_head(table->arena);
  atomic_fetch_add_explicit(&head->untracked_bytes, bytes, memory_order_relaxed);
  atomic_fetch_add_explicit(&head->untracked_messages, 1, memory_order_relaxed);
}

void partner_table_note(struct partner_table* table, uint32_t way) {
  atomic_fetch_or_explicit(&partner_arena_head(table->arena)->not_counted, way,
                           memory_order_relaxed);
}

struct omitted partner_table_omitted(const struct partner_table* table) {
  struct counts_head* head = partner_arena_head(table->arena);
  return (struct omitted){.messages = atomic_load(&head->untracked_messages),
                          .bytes = atomic_load(&head->untracked_bytes),
                          .ways = atomic_load(&head->not_counted)};
}

void partner_table_complete(struct partner_table* table) {
  uint32_t state = COUNTS_GROW;  // what is cut stays so
  (void)atomic_compare_exchange_strong(&partner_arena_head(table->arena)->state, &state,
                                       COUNTS_ARE_COMPLETE);
}

void partner_table_set_phase(struct partner_table* table, uint32_t phase) {
  atomic_store(&partner_arena_head(table->arena)->phase, phase);
}

// With the lock held: room for one more partner. False when memory runs out.
static bool make_room(struct partner_table* table) {
  struct index* current = atomic_load_explicit(&table->index, memory_order_relaxed);
  if (current->used < index_capacity(current) / 2) return true;
  struct index* larger = index_new(current->bits + 1);
  if (larger == NULL) return false;
  for (size_t i = 0; i < index_capacity(current); ++i) {
    struct partner* partner = atomic_load_explicit(&current->slots[i], memory_order_relaxed);
    if (partner != NULL) index_add(larger, partner);
  }
  larger->retired = current;
  atomic_store_explicit(&table->index, larger, memory_order_release);
  return true;
}

// With the lock held: another thread may have added the rank since the caller looked.
static struct partner* find_or_add(struct partner_table* table, uint64_t set, uint32_t rank) {
  struct partner* partner = index_find(atomic_load(&table->index), set, rank);
  if (partner != NULL || !make_room(table)) return partner;
  partner = partner_arena_take(table->arena);
  if (partner == NULL) return NULL;
  partner->rank = rank;
  partner->set = set;
  atomic_store_explicit(&partner->used, 1, memory_order_release);
  index_add(atomic_load(&table->index), partner);
  return partner;
}

struct partner* partner_table_find(struct partner_table* table, uint32_t rank) {
  return partner_table_find_in(table, PARTNERS_OURS, rank);
}

struct partner* partner_table_find_in(struct partner_table* table, uint64_t set, uint32_t rank) {
  struct index* index = atomic_load_explicit(&table->index, memory_order_acquire);
  struct partner* partner = index_find(index, set, rank);
  if (partner != NULL) return partner;
  pthread_mutex_lock(&table->lock);
  partner = find_or_add(table, set, rank);
  pthread_mutex_unlock(&table->lock);
  return partner;
}

void partner_count(struct partner* partner, enum traffic_kind kind, uint64_t bytes) {
  atomic_fetch_add_explicit(&partner->bytes[kind], bytes, memory_order_relaxed);
  atomic_fetch_add_explicit(&partner->messages[kind], 1, memory_order_relaxed);
}

static int by_rank(const void* a, const void* b) {
  const struct partner* left = *(struct partner* const*)a;
  const struct partner* right = *(struct partner* const*)b;
  if (left->set != right->set) return left->set < right->set ? -1 : 1;
  return (left->rank > right->rank) - (left->rank < right->rank);
}

// The partners of this job, or all others, sorted; NULL: no memory.
static struct partner** sorted(const struct index* index, bool ours, size_t* count) {
  struct partner** found = calloc(index->used + 1, sizeof *found);
  *count = 0;
  for (size_t i = 0; found != NULL && i < index_capacity(index); ++i) {
    struct partner* partner = atomic_load(&index->slots[i]);
    if (partner != NULL && (partner->set == PARTNERS_OURS) == ours) found[(*count)++] = partner;
  }
  if (found != NULL) qsort(found, *count, sizeof *found, by_rank);
  return found;
}

// Its counts now; false: there are none.
static bool read_row(struct partner* partner, struct partner_row* row) {
  *row = (struct partner_row){.rank = partner->rank};
  uint64_t messages = 0;
  for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
    row->bytes[kind] = atomic_load(&partner->bytes[kind]);
    row->messages[kind] = atomic_load(&partner->messages[kind]);
    messages += row->messages[kind];
  }
  return messages > 0;
}

// `sets` may be NULL.
static ptrdiff_t read_rows(const struct partner_table* table, bool ours, struct partner_row** rows,
                           uint64_t** sets) {
  size_t found = 0, count = 0;
  struct partner** partners = sorted(atomic_load(&table->index), ours, &found);
  *rows = calloc(found + 1, sizeof **rows);
  if (sets != NULL) *sets = calloc(found + 1, sizeof **sets);
  if (partners == NULL || *rows == NULL || (sets != NULL && *sets == NULL)) {
    free(partners);
    free(*rows);
    if (sets != NULL) free(*sets);
    return -1;
  }
  for (size_t i = 0; i < found; ++i) {
    if (!read_row(partners[i], &(*rows)[count])) continue;
    if (sets != NULL) (*sets)[count] = partners[i]->set;
    ++count;
  }
  free(partners);
  return (ptrdiff_t)count;
}

ptrdiff_t partner_table_rows(const struct partner_table* table, struct partner_row** rows) {
  return read_rows(table, true, rows, NULL);
}

ptrdiff_t partner_table_rows_beside(const struct partner_table* table, struct partner_row** rows,
                                    uint64_t** sets) {
  return read_rows(table, false, rows, sets);
}

// Partners are only added with the lock held.
ptrdiff_t partner_table_snapshot(struct partner_table* table, struct partner_row** rows) {
  pthread_mutex_lock(&table->lock);
  ptrdiff_t count = partner_table_rows(table, rows);
  pthread_mutex_unlock(&table->lock);
  return count;
}
