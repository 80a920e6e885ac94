// SPDX-License-Identifier: BSD-3-Clause
// See phasing.h. Phases travel as counts of one rank do, in one gathering for all of them.
#include "phasing.h"

#include <errno.h>
#include <ompi/communicator/communicator.h>
#include <opal/mca/base/mca_base_pvar.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "counts_format.h"
#include "gather.h"
#include "phase_files.h"
#include "phases.h"

static bool on_demand;
static int window;  // seconds; 0: none
static struct phases* phases;
static struct partner_table* table;  // NULL: not now
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stopping;
static pthread_t clock_thread;
static bool clock_runs;

void phasing_prepare(const struct monitor_parameters* parameters) {
  window = parameters->window;
  on_demand = parameters->phases && window == 0;
}

bool phasing_wanted(void) {
  return on_demand || window > 0;
}

// With the lock held.
static bool enter(uint32_t phase) {
  struct partner_row* rows = NULL;
  ptrdiff_t count = table != NULL ? partner_table_snapshot(table, &rows) : -1;
  return count >= 0 && phases_enter(phases, phase, rows, (size_t)count);
}

static int read_phase(const mca_base_pvar_t* variable, void* value, void* object) {
  (void)variable, (void)object;
  pthread_mutex_lock(&lock);
  *(unsigned*)value = phases != NULL ? phases_current(phases) : 0;
  pthread_mutex_unlock(&lock);
  return OPAL_SUCCESS;
}

static int write_phase(mca_base_pvar_t* variable, const void* value, void* object) {
  (void)variable, (void)object;
  pthread_mutex_lock(&lock);
  bool good = phases != NULL && enter(*(const unsigned*)value);
  pthread_mutex_unlock(&lock);
  return good ? OPAL_SUCCESS : OPAL_ERR_BAD_PARAM;
}

// Not a continuous one: Open MPI 4.1 crashes when such a variable is written.
static void register_variable(void) {
  (void)mca_base_pvar_register(
      "ompi", "pml", "tofa", "phase",
      "The phase that messages are counted for; to be written: 1 to 99 begin one, 0 ends it",
      OPAL_INFO_LVL_1, MCA_BASE_PVAR_CLASS_LEVEL, MCA_BASE_VAR_TYPE_UNSIGNED_INT, NULL,
      MCA_BASE_VAR_BIND_NO_OBJECT, 0, read_phase, write_phase, NULL, NULL);
}

// A phase per window; the last one holds the rest. The first began before this thread did.
static void* keep_time(void* nothing) {
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  pthread_mutex_lock(&lock);
  for (uint32_t phase = 2; phase <= PHASES_MOST && table != NULL; ++phase) {
    next.tv_sec += window;
    while (table != NULL && pthread_cond_timedwait(&stopping, &lock, &next) != ETIMEDOUT) {
    }
    if (table != NULL) (void)enter(phase);
  }
  pthread_mutex_unlock(&lock);
  return nothing;
}

// Signals are the program's, and not for a thread that it does not know.
static void start_clock(void) {
  pthread_condattr_t attributes;
  sigset_t all, before;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&stopping, &attributes);
  pthread_condattr_destroy(&attributes);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  clock_runs = pthread_create(&clock_thread, NULL, keep_time, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void phasing_start(struct partner_table* counts) {
  if (!phasing_wanted() || counts == NULL) return;
  phases = phases_new();
  table = phases != NULL ? counts : NULL;
  if (table == NULL) return;
  if (on_demand) register_variable();
  if (window == 0) return;
  (void)enter(1);
  start_clock();
}

void phasing_stop(void) {
  pthread_mutex_lock(&lock);
  if (table != NULL) (void)enter(0);
  table = NULL;
  if (clock_runs) pthread_cond_signal(&stopping);
  pthread_mutex_unlock(&lock);
  if (clock_runs) pthread_join(clock_thread, NULL);
  clock_runs = false;
}

// The phases as counts of partners whose numbers tell the phase; NULL: no memory. What was got from
// partners is left out: it would travel under their numbers.
static struct partner_table* joined(uint32_t ranks) {
  struct partner_table* all = partner_table_new(NULL);
  for (uint32_t phase = 1; phases != NULL && phase <= PHASES_MOST; ++phase) {
    const struct partner_row* rows = NULL;
    size_t count = phases_rows(phases, phase, &rows);
    for (size_t i = 0; i < count && all != NULL; ++i) {
      uint64_t number = phases_join(phase, rows[i].rank, ranks);
      struct partner* partner =
          number <= UINT32_MAX ? partner_table_find(all, (uint32_t)number) : NULL;
      for (int kind = 0; kind < TRAFFIC_CLASSES && partner != NULL; ++kind) {
        partner_add_alone(&partner->bytes[kind], rows[i].bytes[kind]);
        partner_add_alone(&partner->messages[kind], rows[i].messages[kind]);
      }
    }
  }
  return all;
}

// The sink of rank 0.
struct result {
  struct collection* collection;
  const struct phasing_sink* sink;
  uint32_t ranks;
  bool finished;
};

static bool keep_chunk(void* context, const uint8_t* bytes, size_t size) {
  struct result* result = context;
  return result->collection != NULL && collection_add(result->collection, bytes, size) == 0;
}

static bool write_result(void* context) {
  struct result* result = context;
  const struct phasing_sink* sink = result->sink;
  int written = -ENOMEM;
  if (result->collection != NULL) {
    struct mtx_metadata metadata = *sink->metadata;
    collection_describe(result->collection, &metadata);
    written = phase_files_write(result->collection, result->ranks, sink->stem, &metadata,
                                sink->publication);
  }
  result->finished = true;
  return sink->finish(sink->context, written);
}

bool phasing_dump(const struct monitor* monitor, double limit_seconds,
                  const struct phasing_sink* sink) {
  uint32_t ranks = (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm);
  struct result result = {.sink = sink, .ranks = ranks};
  uint64_t most = phases_join(PHASES_MOST + 1, 0, ranks);
  if (sink->stem != NULL && most <= UINT32_MAX) {
    result.collection = collection_new((uint32_t)most, ranks, sink->folder);
  }
  struct monitor own = *monitor;
  own.table = joined(ranks);
  struct gather_sink gather = {
      .context = &result, .round = 1, .chunk = keep_chunk, .finish = write_result};
  enum gather_result gathered =
      own.table != NULL ? gather_counts(&own, limit_seconds, &gather) : GATHER_UNSAFE;
  if (sink->stem != NULL && !result.finished) (void)sink->finish(sink->context, -ENOMEM);
  partner_table_free(own.table);
  collection_free(result.collection);
  pthread_mutex_lock(&lock);  // MPI_T may still ask for the phase
  phases_free(phases);
  phases = NULL;
  pthread_mutex_unlock(&lock);
  return gathered == GATHER_SAFE;
}
