/* SPDX-License-Identifier: BSD-3-Clause
   A disk that hangs, for programs that are started with this library in LD_PRELOAD: while the file
   exists that TOFA_DISK_HANGS names, whoever syncs a file or renames one waits. Where
   TOFA_DISK_FOLDER names a folder, that is the disk: who opens a file below it waits, too, and
   nobody else does. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void hang(void) {
  const struct timespec moment = {0, 10000000};
  const char* file = getenv("TOFA_DISK_HANGS");
  while (file != NULL && access(file, F_OK) == 0) (void)nanosleep(&moment, NULL);
}

static int on_disk(const char* path) {
  const char* folder = getenv("TOFA_DISK_FOLDER");
  return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static void hang_at(const char* path) {
  if (getenv("TOFA_DISK_FOLDER") == NULL || on_disk(path)) hang();
}

static void hang_at_file(int fd) {
  char link[64];
  char path[4096];
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
  hang_at(path);
}

static int open_file(const char* path, int flags, va_list rest) {
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  if (on_disk(path)) hang();
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int fd = open_file(path, flags, rest);
  va_end(rest);
  return fd;
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int fd = open_file(path, flags, rest);
  va_end(rest);
  return fd;
}

int fsync(int fd) {
  hang_at_file(fd);
  return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  hang_at_file(fd);
  return (int)syscall(SYS_fdatasync, fd);
}

int rename(const char* from, const char* to) {
  hang_at(from);
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0U);
}
