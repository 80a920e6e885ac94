/* SPDX-License-Identifier: BSD-3-Clause
   A wall clock that is wrong, for programs that are started with this library in LD_PRELOAD: it is
   ahead by as many seconds as the file says that TOFA_CLOCK_AHEAD names, behind where the number is
   below 0, and right while there is no such file. The clocks that nobody sets go on. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long seconds_ahead(void) {
  const char* name = getenv("TOFA_CLOCK_AHEAD");
  FILE* file = name == NULL ? NULL : fopen(name, "re");
  if (file == NULL) return 0;
  char text[32] = "";
  const char* const read = fgets(text, sizeof text, file);
  (void)fclose(file);
  return read == NULL ? 0 : strtol(text, NULL, 10);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const long status = syscall(SYS_clock_gettime, clock, now);
  if (status == 0 && clock == CLOCK_REALTIME) now->tv_sec += seconds_ahead();
  return (int)status;
}
