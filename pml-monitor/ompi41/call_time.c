// SPDX-License-Identifier: BSD-3-Clause
// See call_time.h. The program may call MPI after MPI_Finalize, too, and is counted as long as it
// does: so the sums stay where they are in memory to the end, in the head of the file or, once that
// is to go, in place of it.
#define _GNU_SOURCE  // RTLD_DEFAULT, MAP_ANONYMOUS

#include "call_time.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "counts_format.h"

static uint64_t start;            // nanoseconds
static struct counts_head* kept;  // NULL: nowhere

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void call_time_keep(const char* path) {
  void (*move)(struct mpi_times*);
  void* symbol = dlsym(RTLD_DEFAULT, "tofa_mpi_times_move");
  memcpy(&move, &symbol, sizeof move);
  int file = move != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* head = mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (head == MAP_FAILED) return;
  kept = head;
  move(&kept->times);
}

void call_time_start(void) {
  start = now();
  if (kept != NULL) atomic_store(&kept->began, start);
}

struct rank_time call_time(void) {
  struct rank_time time = {.run = (now() - start) / 1000};
  void (*mpi_time)(uint64_t*, uint64_t*);
  void* symbol = dlsym(RTLD_DEFAULT, "tofa_mpi_time");
  memcpy(&mpi_time, &symbol, sizeof mpi_time);
  if (mpi_time != NULL) mpi_time(&time.mpi, &time.calls);
  time.mpi /= 1000;
  return time;
}

// Another thread may be in MPI_Get_version, which may be called at any time, and add to it: so
// there is always memory.
void call_time_let_go(void) {
  if (kept == NULL) return;
  (void)mmap(kept, sizeof *kept, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0);
}
