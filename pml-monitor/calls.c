// SPDX-License-Identifier: BSD-3-Clause
// libtofa-calls.so, to be preloaded: how long a rank is in MPI calls, between MPI_Init and
// MPI_Finalize. Each call of the program is caught, from C and from Fortran, and passed on to MPI's
// profiling interface; calls.awk writes them all from mpi.h. The monitor finds tofa_mpi_time here
// and tells what it says in NAME.ranks.json; without the monitor it is for nobody.
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

static _Atomic uint64_t nanoseconds, calls;

// MPI may call itself, as MPI-IO does: only the program's own call counts.
static _Thread_local struct {
  uint64_t entered;
  unsigned depth;
} inside __attribute__((tls_model("initial-exec")));

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void enter(void) {
  if (inside.depth++ == 0) inside.entered = now();
}

static void leave(void) {
  if (--inside.depth > 0) return;
  atomic_fetch_add_explicit(&nanoseconds, now() - inside.entered, memory_order_relaxed);
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

// What all threads of this process have spent in calls that have returned.
__attribute__((visibility("default"))) void tofa_mpi_time(uint64_t* time, uint64_t* count);
void tofa_mpi_time(uint64_t* time, uint64_t* count) {
  *time = atomic_load(&nanoseconds);
  *count = atomic_load(&calls);
}

// An argument of Fortran's.
typedef uintptr_t word;

#include "mpi_calls.inc"
