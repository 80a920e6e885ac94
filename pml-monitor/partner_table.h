// SPDX-License-Identifier: BSD-3-Clause
// How much this rank has sent to each of its partners. The table grows with the number of partners,
// never with the size of the job. Any number of threads may count at the same time: counters are
// atomic and a partner, once found, stays where it is, so only the first message to a new partner
// takes a lock. Knows nothing of Open MPI.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a partner is sent, by what it is for; and, last, what is got from it. The first are the
// classes that results tell apart: TRAFFIC_FETCHED is one-sided, too, but whoever got it counted
// it, so that its sender is the partner.
enum traffic_kind {
  TRAFFIC_USER,        // messages of the program: tags >= 0
  TRAFFIC_COLLECTIVE,  // messages that collectives are made of
  TRAFFIC_ONE_SIDED,   // MPI_Put and the like
  TRAFFIC_IO,          // on communicators that MPI-IO made for itself
  TRAFFIC_LIBRARY,  // handshakes in which communicators are created, and what windows synchronise
                    // with
  TRAFFIC_FETCHED,  // MPI_Get and the like
  TRAFFIC_KINDS,
  TRAFFIC_CLASSES = TRAFFIC_FETCHED
};

struct partner_table;
struct partner;

// One partner's counts at one moment. Ranks send arrays of this to world rank 0 as plain 64-bit
// words.
struct partner_row {
  uint64_t rank;
  uint64_t bytes[TRAFFIC_KINDS];
  uint64_t messages[TRAFFIC_KINDS];
};

// Whose ranks partners are: of this job, or of another one, by its number. Only the former are in
// rows of the matrix; the others are told beside them, and so is what was not sent, but would have
// been if collectives had gone by messages, and what the program has declared: weights for bytes,
// edges for messages.
enum { PARTNERS_OURS = 0, PARTNERS_ESTIMATED = 1, PARTNERS_DECLARED = 2 };
static inline bool partners_are_of_a_job(uint64_t set) {
  return set >> 32 == 1;
}
static inline uint64_t partners_of_job(uint32_t job) {
  return UINT64_C(1) << 32 | job;
}

// What is in no row.
struct omitted {
  uint64_t messages, bytes;  // to processes of other jobs, where there was no memory for a partner
  uint32_t ways;             // bits of not_counted.h: what this rank used that is not counted
};

struct partner_arena;

// Takes over where its counters live; NULL: in memory. NULL: out of memory.
struct partner_table* partner_table_new(struct partner_arena* arena);
void partner_table_free(struct partner_table* table);

// The partner with this rank, added if new; NULL only when memory runs out.
struct partner* partner_table_find(struct partner_table* table, uint32_t rank);
// The same among these partners.
struct partner* partner_table_find_in(struct partner_table* table, uint64_t set, uint32_t rank);

// By any number of threads at a time. For one thread there is partner_count_alone in
// counts_format.h.
void partner_count(struct partner* partner, enum traffic_kind kind, uint64_t bytes);

// A message to a process outside MPI_COMM_WORLD that has no partner.
void partner_table_count_untracked(struct partner_table* table, uint64_t bytes);
// Something was used that is not counted: one of the bits of not_counted.h.
void partner_table_note(struct partner_table* table, uint32_t way);
struct omitted partner_table_omitted(const struct partner_table* table);

// From here on nothing is counted any more, as whoever finds the counters is to know.
void partner_table_complete(struct partner_table* table);

// Of a table of parts (parts.h): the phase that is on, for whoever finds the counters.
void partner_table_set_phase(struct partner_table* table, uint32_t phase);

// Copies the partners of this job that got at least one message to *rows, sorted by rank, for the
// caller to free. Returns their number, or -1 when memory runs out. Nobody may add partners
// meanwhile.
ptrdiff_t partner_table_rows(const struct partner_table* table, struct partner_row** rows);

// The partners that are not of this job, sorted by set and rank: rows[i] is one of sets[i].
ptrdiff_t partner_table_rows_beside(const struct partner_table* table, struct partner_row** rows,
                                    uint64_t** sets);

// As partner_table_rows, while others count and add partners.
ptrdiff_t partner_table_snapshot(struct partner_table* table, struct partner_row** rows);

#ifdef __cplusplus
}
#endif
