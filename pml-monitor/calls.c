// SPDX-License-Identifier: BSD-3-Clause
// libtofa-calls.so, to be preloaded: how long a rank is in MPI calls, between MPI_Init and
// MPI_Finalize. Each call of the program is caught, from C and from Fortran, and passed on to MPI's
// profiling interface; calls.awk writes them all from mpi.h. The monitor finds the functions of
// mpi_times.h here, and tells what they say in NAME.ranks.json; without it they are for nobody.
#define _GNU_SOURCE  // dl_iterate_phdr

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_times.h"

static struct mpi_times own;
static _Atomic(struct mpi_times*) times = &own;

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
  struct mpi_times* sum = atomic_load_explicit(&times, memory_order_relaxed);
  uint64_t left = now();
  atomic_fetch_add_explicit(&sum->nanoseconds, left - inside.entered, memory_order_relaxed);
  atomic_fetch_add_explicit(&sum->calls, 1, memory_order_relaxed);
  atomic_store_explicit(&sum->latest, left, memory_order_relaxed);
}

__attribute__((visibility("default"))) void tofa_mpi_time(uint64_t* nanoseconds, uint64_t* calls) {
  const struct mpi_times* sum = atomic_load(&times);
  *nanoseconds = atomic_load(&sum->nanoseconds);
  *calls = atomic_load(&sum->calls);
}

__attribute__((visibility("default"))) void tofa_mpi_times_move(struct mpi_times* to) {
  uint64_t nanoseconds, calls;
  tofa_mpi_time(&nanoseconds, &calls);
  atomic_store(&to->nanoseconds, nanoseconds);
  atomic_store(&to->calls, calls);
  atomic_store(&times, to);
}

// An argument of Fortran's, and a function of it, whatever its arguments are.
typedef uintptr_t word;
typedef void (*fortran_fn)(void);

// One of the libraries that are loaded, by its number among them.
struct library {
  size_t left;  // how many come before it
  char path[PATH_MAX];
};

static int take_path(struct dl_phdr_info* library, size_t size, void* context) {
  struct library* wanted = context;
  (void)size;
  if (wanted->left-- > 0) return 0;
  (void)snprintf(wanted->path, sizeof wanted->path, "%s", library->dlpi_name);
  return 1;
}

// In any library, also one that a plugin has for itself, which is found only if asked for by name.
// Not while they are listed: other threads may be loading some.
static void* find_in_all(const char* symbol) {
  void* found = NULL;
  for (size_t number = 0; found == NULL; ++number) {
    struct library library = {.left = number};
    if (dl_iterate_phdr(take_path, &library) == 0) break;
    void* handle = library.path[0] != '\0' ? dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (handle == NULL) continue;
    found = dlsym(handle, symbol);
    // What is found is kept, and so must be where it is.
    if (found != NULL) (void)dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    dlclose(handle);
  }
  return found;
}

// A program that loads Fortran's MPI library for itself alone, as with a module of Python's, calls
// us all the same, because whoever is preloaded comes first.
static fortran_fn found_in_private(const char* symbol, _Atomic(fortran_fn)* found) {
  fortran_fn function = atomic_load_explicit(found, memory_order_relaxed);
  if (function != NULL) return function;
  void* address = find_in_all(symbol);
  if (address == NULL) {
    (void)fprintf(stderr,
                  "tofa: %s is in no library of this program, so libtofa-calls.so cannot pass the "
                  "call on. Run it without that library in LD_PRELOAD.\n",
                  symbol);
    abort();
  }
  memcpy(&function, &address, sizeof function);
  atomic_store_explicit(found, function, memory_order_relaxed);
  return function;
}

#include "mpi_calls.inc"
