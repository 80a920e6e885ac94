// SPDX-License-Identifier: BSD-3-Clause
// Two rounds. First every rank sends its totals, a few words, so that rank 0 knows how long the
// files get. Then rank 0 asks one rank after the other, a few ahead of the one it reads from, for
// its rows: it holds the rows of one rank at a time, and nobody floods it. A rank that is asked to
// stop sends nothing, so a sink that cannot write does not hold up the job.
#include "gather.h"

#include <ompi/communicator/communicator.h>
#include <ompi/datatype/ompi_datatype.h>
#include <stdlib.h>

#include "roll_call.h"

// Below the tags of Open MPI's own protocols (-31078 to -31080), never matched by a user's
// MPI_ANY_TAG.
enum { TAG = -31491, ASKED_AHEAD = 16 };

enum { STOP = 0, GO = 1 };

struct summary {
  uint64_t rows;
  uint64_t incomplete;  // not 0: this rank ran out of memory and sends no rows
  uint64_t untracked_messages;
  uint64_t entries[REPORT_PHASES];
};

enum {
  SUMMARY_WORDS = sizeof(struct summary) / sizeof(uint64_t),
  ROW_WORDS = sizeof(struct partner_row) / sizeof(uint64_t)
};

static bool put(const struct monitor* monitor, const void* words, size_t count, uint32_t rank) {
  return monitor->real.pml_send(words, count, &ompi_mpi_uint64_t.dt, (int)rank, TAG,
                                MCA_PML_BASE_SEND_STANDARD,
                                &ompi_mpi_comm_world.comm) == OMPI_SUCCESS;
}

static bool get(const struct monitor* monitor, void* words, size_t count, uint32_t rank) {
  return monitor->real.pml_recv(words, count, &ompi_mpi_uint64_t.dt, (int)rank, TAG,
                                &ompi_mpi_comm_world.comm, MPI_STATUS_IGNORE) == OMPI_SUCCESS;
}

static bool ask(const struct monitor* monitor, uint32_t rank, uint64_t word) {
  return put(monitor, &word, 1, rank);
}

// What this rank has to tell. The caller frees *rows.
static struct summary summarize(const struct monitor* monitor, struct partner_row** rows) {
  struct summary summary = {.untracked_messages = monitor->untracked_messages};
  ptrdiff_t count = partner_table_rows(monitor->table, rows);
  if (count < 0) {
    summary.incomplete = 1;
    return summary;
  }
  summary.rows = (uint64_t)count;
  report_count_entries(*rows, summary.rows, summary.entries);
  return summary;
}

static enum gather_result send_counts(const struct monitor* monitor, const struct summary* summary,
                                      const struct partner_row* rows) {
  if (!roll_call_present(0)) return GATHER_NO_ROOT;
  if (!put(monitor, summary, SUMMARY_WORDS, 0)) return GATHER_FAILED;
  if (summary->rows == 0) return GATHER_SENT;
  uint64_t word;
  if (!get(monitor, &word, 1, 0)) return GATHER_FAILED;
  if (word == GO && !put(monitor, rows, summary->rows * ROW_WORDS, 0)) return GATHER_FAILED;
  return GATHER_SENT;
}

// What rank 0 needs to know about the others while it reads their rows.
struct collection {
  const struct monitor* monitor;
  const struct gather_sink* sink;
  const struct partner_row* own_rows;
  struct gathered_totals totals;
  uint64_t* row_counts;  // per rank; freed when the files are written
  struct partner_row* buffer;
  bool going;  // false: everybody not yet asked is told to stop
};

static void add_summary(struct collection* all, uint32_t rank, const struct summary* summary) {
  all->row_counts[rank] = summary->rows;
  all->totals.missing_ranks += summary->incomplete != 0;
  all->totals.untracked_messages += summary->untracked_messages;
  for (int phase = 0; phase < REPORT_PHASES; ++phase) {
    all->totals.entries[phase] += summary->entries[phase];
  }
}

static bool collect_summaries(struct collection* all) {
  for (uint32_t rank = 1; rank < all->totals.ranks; ++rank) {
    if (!roll_call_present(rank)) {
      ++all->totals.missing_ranks;
      continue;
    }
    struct summary summary;
    if (!get(all->monitor, &summary, SUMMARY_WORDS, rank)) return false;
    add_summary(all, rank, &summary);
  }
  return true;
}

static struct partner_row* largest_buffer(const struct collection* all) {
  uint64_t most = 1;
  for (uint32_t rank = 1; rank < all->totals.ranks; ++rank) {
    if (all->row_counts[rank] > most) most = all->row_counts[rank];
  }
  return calloc(most, sizeof(struct partner_row));
}

// From `from` on, the first rank that has rows.
static uint32_t next_sender(const struct collection* all, uint32_t from) {
  while (from < all->totals.ranks && all->row_counts[from] == 0) ++from;
  return from;
}

static bool read_rows(struct collection* all, uint32_t rank, bool discard) {
  size_t count = all->row_counts[rank];
  if (!get(all->monitor, all->buffer, count * ROW_WORDS, rank)) return false;
  if (!discard) {
    all->going = all->sink->rows(all->sink->context, rank, all->buffer, count);
  }
  return true;
}

static bool collect_rows(struct collection* all) {
  uint32_t asked = next_sender(all, 1);
  uint32_t go_until = all->totals.ranks;  // ranks from here on were told to stop
  uint32_t ahead = 0;
  for (uint32_t rank = asked; rank < all->totals.ranks; rank = next_sender(all, rank + 1)) {
    for (; asked < all->totals.ranks && ahead < ASKED_AHEAD; ++ahead) {
      if (!all->going && asked < go_until) go_until = asked;
      if (!ask(all->monitor, asked, all->going ? GO : STOP)) return false;
      asked = next_sender(all, asked + 1);
    }
    --ahead;
    if (rank < go_until && !read_rows(all, rank, !all->going)) return false;
  }
  return true;
}

static enum gather_result collect(struct collection* all) {
  if (!collect_summaries(all)) return GATHER_FAILED;
  all->buffer = largest_buffer(all);
  all->going = all->buffer != NULL && all->sink->begin(all->sink->context, &all->totals);
  if (all->going && all->row_counts[0] > 0) {
    all->going = all->sink->rows(all->sink->context, 0, all->own_rows, all->row_counts[0]);
  }
  if (!collect_rows(all)) return GATHER_FAILED;
  if (all->buffer == NULL) return GATHER_NO_MEMORY;
  return all->going ? GATHER_COMPLETE : GATHER_STOPPED;
}

// Without memory for anything: nobody may be left waiting for an answer.
static enum gather_result turn_everybody_away(const struct monitor* monitor, uint32_t ranks) {
  for (uint32_t rank = 1; rank < ranks; ++rank) {
    struct summary summary;
    if (!roll_call_present(rank)) continue;
    if (!get(monitor, &summary, SUMMARY_WORDS, rank)) return GATHER_FAILED;
    if (summary.rows > 0 && !ask(monitor, rank, STOP)) return GATHER_FAILED;
  }
  return GATHER_NO_MEMORY;
}

static enum gather_result collect_counts(const struct monitor* monitor,
                                         const struct gather_sink* sink, const struct summary* own,
                                         const struct partner_row* rows) {
  struct collection all = {.monitor = monitor, .sink = sink, .own_rows = rows};
  all.totals.ranks = (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm);
  all.row_counts = calloc(all.totals.ranks, sizeof *all.row_counts);
  if (all.row_counts == NULL) return turn_everybody_away(monitor, all.totals.ranks);
  add_summary(&all, 0, own);
  enum gather_result result = collect(&all);
  free(all.buffer);
  free(all.row_counts);
  return result;
}

enum gather_result gather_counts(const struct monitor* monitor, const struct gather_sink* sink) {
  struct partner_row* rows = NULL;
  struct summary summary = summarize(monitor, &rows);
  enum gather_result result = ompi_comm_rank(&ompi_mpi_comm_world.comm) == 0
                                  ? collect_counts(monitor, sink, &summary, rows)
                                  : send_counts(monitor, &summary, rows);
  free(rows);
  return result;
}
