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
static _Atomic(struct partner*)* index_slot(struct index* index, uint32_t rank) {
  size_t mask = index_capacity(index) - 1;
  // Fibonacci hashing: partners are often a power of two apart, so the high bits of the product
  // decide.
  size_t at = (rank * UINT32_C(2654435769)) >> (32 - index->bits);
  for (;; at = (at + 1) & mask) {
    struct partner* partner = atomic_load_explicit(&index->slots[at], memory_order_acquire);
    if (partner == NULL || partner->rank == rank) return &index->slots[at];
  }
}

static struct partner* index_find(struct index* index, uint32_t rank) {
  return atomic_load_explicit(index_slot(index, rank), memory_order_acquire);
}

static void index_add(struct index* index, struct partner* partner) {
  atomic_store_explicit(index_slot(index, partner->rank), partner, memory_order_release);
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
  atomic_store(&partner_arena_head(table->arena)->state, COUNTS_ARE_COMPLETE);
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
static struct partner* find_or_add(struct partner_table* table, uint32_t rank) {
  struct partner* partner = index_find(atomic_load(&table->index), rank);
  if (partner != NULL || !make_room(table)) return partner;
  partner = partner_arena_take(table->arena);
  if (partner == NULL) return NULL;
  partner->rank = rank;
  atomic_store_explicit(&partner->used, 1, memory_order_release);
  index_add(atomic_load(&table->index), partner);
  return partner;
}

struct partner* partner_table_find(struct partner_table* table, uint32_t rank) {
  struct index* index = atomic_load_explicit(&table->index, memory_order_acquire);
  struct partner* partner = index_find(index, rank);
  if (partner != NULL) return partner;
  pthread_mutex_lock(&table->lock);
  partner = find_or_add(table, rank);
  pthread_mutex_unlock(&table->lock);
  return partner;
}

void partner_count(struct partner* partner, enum traffic_kind kind, uint64_t bytes) {
  atomic_fetch_add_explicit(&partner->bytes[kind], bytes, memory_order_relaxed);
  atomic_fetch_add_explicit(&partner->messages[kind], 1, memory_order_relaxed);
}

static int by_rank(const void* a, const void* b) {
  uint64_t left = ((const struct partner_row*)a)->rank;
  uint64_t right = ((const struct partner_row*)b)->rank;
  return (left > right) - (left < right);
}

ptrdiff_t partner_table_rows(const struct partner_table* table, struct partner_row** rows) {
  const struct index* index = atomic_load(&table->index);
  struct partner_row* out = calloc(index->used + 1, sizeof *out);
  if (out == NULL) return -1;
  size_t count = 0;
  for (size_t i = 0; i < index_capacity(index); ++i) {
    struct partner* partner = atomic_load(&index->slots[i]);
    if (partner == NULL) continue;
    struct partner_row row = {.rank = partner->rank};
    uint64_t messages = 0;
    for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
      row.bytes[kind] = atomic_load(&partner->bytes[kind]);
      row.messages[kind] = atomic_load(&partner->messages[kind]);
      messages += row.messages[kind];
    }
    if (messages > 0) out[count++] = row;
  }
  qsort(out, count, sizeof *out, by_rank);
  *rows = out;
  return (ptrdiff_t)count;
}

// Partners are only added with the lock held.
ptrdiff_t partner_table_snapshot(struct partner_table* table, struct partner_row** rows) {
  pthread_mutex_lock(&table->lock);
  ptrdiff_t count = partner_table_rows(table, rows);
  pthread_mutex_unlock(&table->lock);
  return count;
}
