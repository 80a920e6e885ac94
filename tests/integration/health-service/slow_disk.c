/* SPDX-License-Identifier: BSD-3-Clause
   A disk that hangs, for programs that are started with this library in LD_PRELOAD: while the file
   exists that TOFA_DISK_HANGS names, whoever syncs a file or renames one waits. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void hang(void) {
  const struct timespec moment = {0, 10000000};
  const char* file = getenv("TOFA_DISK_HANGS");
  while (file != NULL && access(file, F_OK) == 0) (void)nanosleep(&moment, NULL);
}

int fsync(int fd) {
  hang();
  return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  hang();
  return (int)syscall(SYS_fdatasync, fd);
}

int rename(const char* from, const char* to) {
  hang();
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0U);
}
