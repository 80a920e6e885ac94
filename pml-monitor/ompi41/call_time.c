// SPDX-License-Identifier: BSD-3-Clause
// See call_time.h.
#define _GNU_SOURCE  // RTLD_DEFAULT

#include "call_time.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

static struct timespec start;

void call_time_start(void) {
  clock_gettime(CLOCK_MONOTONIC, &start);
}

static uint64_t microseconds_since_start(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t nanoseconds = now.tv_nsec - start.tv_nsec;
  return (uint64_t)((now.tv_sec - start.tv_sec) * 1000000 + nanoseconds / 1000);
}

struct rank_time call_time(void) {
  struct rank_time time = {.run = microseconds_since_start()};
  void (*mpi_time)(uint64_t*, uint64_t*);
  void* symbol = dlsym(RTLD_DEFAULT, "tofa_mpi_time");
  memcpy(&mpi_time, &symbol, sizeof mpi_time);
  if (mpi_time != NULL) mpi_time(&time.mpi, &time.calls);
  time.mpi /= 1000;
  return time;
}
