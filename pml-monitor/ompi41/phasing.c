// SPDX-License-Identifier: BSD-3-Clause
// See phasing.h. Program and clock may begin phases at the same time: under a lock.
#include "phasing.h"

#include <ompi/communicator/communicator.h>
#include <opal/mca/base/mca_base_pvar.h>
#include <opal/util/output.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

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

// With the lock held: once, as MPI_Pcontrol cannot fail.
static void warn_unknown(unsigned phase) {
  static bool warned;
  if (phase <= PHASES_MOST || warned || ompi_comm_rank(&ompi_mpi_comm_world.comm) != 0) return;
  warned = true;
  opal_output(
      0,
      "pml tofa: what is sent in phase %u is in none: phases are 1 to %d. Give the program's "
      "phases numbers of these.",
      phase, PHASES_MOST);
}

static int write_phase(mca_base_pvar_t* variable, const void* value, void* object) {
  (void)variable, (void)object;
  pthread_mutex_lock(&lock);
  bool good = phases != NULL && enter(*(const unsigned*)value);
  if (phases != NULL) warn_unknown(*(const unsigned*)value);
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

void phasing_start(const struct monitor* monitor) {
  if (!phasing_wanted() || monitor->table == NULL || monitor->parts == NULL) return;
  phases = phases_new(monitor->parts, (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm));
  table = phases != NULL ? monitor->table : NULL;
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

void phasing_end(void) {
  pthread_mutex_lock(&lock);  // MPI_T may still ask for the phase
  phases_free(phases);
  phases = NULL;
  pthread_mutex_unlock(&lock);
}
