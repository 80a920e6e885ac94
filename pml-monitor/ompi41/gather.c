// SPDX-License-Identifier: BSD-3-Clause
// Each rank sends its counts, and those of the ranks below it in a tree, to the one above it, in
// chunks so small that they wait with the receiver and not in our memory. A send is complete when
// it is matched, and a rank has one receive open per rank below it, so nobody is flooded. Then rank
// 0 says down the same tree that the result is safe, and ranks may leave: a rank that left earlier
// could take messages of others with it.
//
// A rank that gives up takes back its receives. What cannot be taken back may still be read or
// written by the PML: the memory of a gathering that ends this way is never freed.
#include "gather.h"

#include <ompi/communicator/communicator.h>
#include <ompi/datatype/ompi_datatype.h>
#include <ompi/request/request.h>
#include <opal/runtime/opal_progress.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gather_tree.h"
#include "roll_call.h"

// Below the tags of Open MPI's own protocols (-31078 to -31080), never matched by a user's
// MPI_ANY_TAG. A chunk fits the smallest eager limit of the usual networks.
enum { TAG = -31491, CHUNK = 4000, SENDS = 2, SPINS = 2000, LAST_TRIES = 100 };

// The first byte of a message: more chunks follow, the last chunk, the verdict of rank 0.
enum { MORE, LAST, SAFE, UNSAFE };

struct flight {
  ompi_request_t* request;  // NULL: none
  size_t size;
  uint8_t bytes[CHUNK];
};

struct gather {
  const struct monitor* monitor;
  const struct gather_sink* sink;  // of rank 0
  uint32_t rank, ranks, parent;
  double start, limit;
  bool going;            // what is below still has somewhere to go
  struct flight* below;  // a receive per child
  uint32_t* children;
  int child_count;
  struct flight verdict;       // from the parent
  struct flight* farewells;    // the verdict, to each child
  struct flight sends[SENDS];  // in turn; the one at `filling` is not yet sent
  int filling;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool post(struct gather* all, struct flight* flight, uint32_t from) {
  return all->monitor->real.pml_irecv(flight->bytes, CHUNK, &ompi_mpi_byte.dt, (int)from,
                                      TAG - all->sink->round, &ompi_mpi_comm_world.comm,
                                      &flight->request) == OMPI_SUCCESS;
}

static bool launch(struct gather* all, struct flight* flight, uint32_t to,
                   mca_pml_base_send_mode_t mode) {
  return all->monitor->real.pml_isend(flight->bytes, flight->size, &ompi_mpi_byte.dt, (int)to,
                                      TAG - all->sink->round, mode, &ompi_mpi_comm_world.comm,
                                      &flight->request) == OMPI_SUCCESS;
}

// Waits until the request is complete, and frees it; false at the time limit or when it failed.
static bool land(struct flight* flight, double until) {
  if (flight->request == NULL) return true;
  for (int spins = 0; !REQUEST_COMPLETE(flight->request); ++spins) {
    if (now() > until) return false;
    opal_progress();
    if (spins > SPINS) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
  bool good = flight->request->req_status.MPI_ERROR == MPI_SUCCESS;
  flight->size = flight->request->req_status._ucount;
  (void)ompi_request_free(&flight->request);
  flight->request = NULL;
  return good;
}

// False: the request is still under way, and its memory must stay.
static bool take_back(struct flight* flight) {
  if (flight->request == NULL) return true;
  if (!REQUEST_COMPLETE(flight->request)) (void)ompi_request_cancel(flight->request);
  for (int i = 0; i < LAST_TRIES && !REQUEST_COMPLETE(flight->request); ++i) opal_progress();
  if (!REQUEST_COMPLETE(flight->request)) return false;
  (void)ompi_request_free(&flight->request);
  return true;
}

static double give_up_sending(const struct gather* all) {
  return all->start + all->limit;
}

// Sends what is in the buffer, and turns to the next once that is free.
static void flush(struct gather* all, uint8_t kind) {
  struct flight* flight = &all->sends[all->filling];
  flight->bytes[0] = kind;
  all->going = all->going && launch(all, flight, all->parent, MCA_PML_BASE_SEND_SYNCHRONOUS);
  all->filling = (all->filling + 1) % SENDS;
  flight = &all->sends[all->filling];
  all->going = all->going && land(flight, give_up_sending(all));
  flight->size = 1;
}

static void pass_on(struct gather* all, const uint8_t* bytes, size_t size) {
  if (!all->going || size == 0) return;
  if (all->rank == 0) {
    all->going = all->sink->chunk(all->sink->context, bytes, size);
    return;
  }
  if (all->sends[all->filling].size + size > CHUNK) flush(all, MORE);
  struct flight* flight = &all->sends[all->filling];
  if (!all->going) return;
  memcpy(flight->bytes + flight->size, bytes, size);
  flight->size += size;
}

static void pass_on_rows(struct gather* all, const struct stream_source* source) {
  uint64_t next = 0;
  bool started = false;
  do {
    uint8_t bytes[CHUNK - 1];
    size_t size = row_stream_encode(bytes, sizeof bytes, source, started, &next);
    pass_on(all, bytes, size);
    started = true;
  } while (next < source->count && all->going);
}

static void pass_on_beside(struct gather* all, const struct partner_row* rows, const uint64_t* sets,
                           size_t count) {
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && sets[end] == sets[first];) ++end;
    pass_on_rows(
        all,
        &(struct stream_source){
            .sender = all->rank, .set = sets[first], .rows = rows + first, .count = end - first});
  }
}

static void pass_on_own(struct gather* all) {
  struct partner_row *rows = NULL, *beside = NULL;
  uint64_t* sets = NULL;
  ptrdiff_t count = partner_table_rows(all->monitor->table, &rows);
  if (count < 0) return;  // no memory: this rank is missing
  ptrdiff_t others = partner_table_rows_beside(all->monitor->table, &beside, &sets);
  if (others >= 0) {
    pass_on_rows(all, &(struct stream_source){.sender = all->rank,
                                              .omitted = partner_table_omitted(all->monitor->table),
                                              .rows = rows,
                                              .count = (uint64_t)count,
                                              .beside = (uint64_t)others,
                                              .time = all->monitor->time});
    pass_on_beside(all, beside, sets, (size_t)others);
    free(beside);
    free(sets);
  }
  free(rows);
}

static void pass_on_below(struct gather* all, int child, double until) {
  struct flight* flight = &all->below[child];
  uint8_t kind = MORE;
  while (kind == MORE) {
    if (flight->request == NULL || !land(flight, until) || flight->size == 0) return;
    kind = flight->bytes[0];
    if (kind > LAST) return;
    pass_on(all, flight->bytes + 1, flight->size - 1);
    if (kind == MORE && !post(all, flight, all->children[child])) return;
  }
}

static void tell_below(struct gather* all, uint8_t verdict) {
  for (int i = 0; i < all->child_count; ++i) {
    struct flight* flight = &all->farewells[i];
    flight->bytes[0] = verdict;
    flight->size = 1;
    (void)launch(all, flight, all->children[i], MCA_PML_BASE_SEND_STANDARD);
  }
  for (int i = 0; i < all->child_count; ++i) (void)land(&all->farewells[i], give_up_sending(all));
}

static bool hear_verdict(struct gather* all) {
  for (int i = 0; i < SENDS; ++i) {
    all->going = all->going && land(&all->sends[i], give_up_sending(all));
  }
  bool heard = land(&all->verdict, give_up_sending(all));
  return heard && all->verdict.size == 1 && all->verdict.bytes[0] == SAFE;
}

static bool run(struct gather* all) {
  double until = all->start + all->limit * tree_patience(all->rank, all->ranks);
  all->going = all->rank == 0 || post(all, &all->verdict, all->parent);
  for (int i = 0; i < all->child_count; ++i) (void)post(all, &all->below[i], all->children[i]);
  all->sends[0].size = 1;
  pass_on_own(all);
  for (int i = 0; i < all->child_count; ++i) pass_on_below(all, i, until);
  if (all->rank != 0) flush(all, LAST);
  bool safe = all->rank == 0 ? all->sink->finish(all->sink->context) : hear_verdict(all);
  tell_below(all, safe ? SAFE : UNSAFE);
  return safe;
}

// There may be many who do not answer.
static bool present(void* context, uint32_t rank) {
  const struct gather* all = context;
  double left = all->start + all->limit - now();
  return roll_call_present(rank, left < all->limit / 4 ? left : all->limit / 4);
}

static void release(struct gather* all) {
  bool landed = take_back(&all->verdict);
  for (int i = 0; i < SENDS; ++i) landed &= take_back(&all->sends[i]);
  for (int i = 0; i < all->child_count; ++i) {
    if (all->below != NULL) landed &= take_back(&all->below[i]);
    if (all->farewells != NULL) landed &= take_back(&all->farewells[i]);
  }
  if (!landed) return;
  free(all->below);
  free(all->farewells);
  free(all->children);
  free(all);
}

static bool join(struct gather* all) {
  all->child_count = tree_children(all->rank, all->ranks, present, all, &all->children);
  if (all->child_count < 0) {
    all->child_count = 0;
    return false;
  }
  all->below = calloc((size_t)all->child_count + 1, sizeof *all->below);
  all->farewells = calloc((size_t)all->child_count + 1, sizeof *all->farewells);
  return all->below != NULL && all->farewells != NULL;
}

enum gather_result gather_counts(const struct monitor* monitor, double limit_seconds,
                                 const struct gather_sink* sink) {
  struct gather* all = calloc(1, sizeof *all);
  if (all == NULL) return GATHER_UNSAFE;
  all->monitor = monitor;
  all->sink = sink;
  all->rank = (uint32_t)ompi_comm_rank(&ompi_mpi_comm_world.comm);
  all->ranks = (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm);
  all->limit = limit_seconds;
  all->start = now();
  enum gather_result result = GATHER_UNSAFE;
  if (all->rank != 0 && (!present(all, 0) || !tree_parent(all->rank, present, all, &all->parent))) {
    result = GATHER_NO_ROOT;
  } else if (join(all) && run(all)) {
    result = GATHER_SAFE;
  }
  release(all);
  return result;
}
