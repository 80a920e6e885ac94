// SPDX-License-Identifier: BSD-3-Clause
// To be preloaded: lets ranks believe that their folder of counts is on NFS. What is removed while
// a process has it open or mapped gets another name, .nfsPID.NUMBER, and goes with the last one
// that has it, here when somebody removes the folder; and there are no files without a name.
#define _GNU_SOURCE  // RTLD_NEXT, O_TMPFILE

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IN_FRONT __attribute__((visibility("default")))

static void* real(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

static bool is_open_in(const char* process, const char* path) {
  char folder[PATH_MAX], target[PATH_MAX];
  (void)snprintf(folder, sizeof folder, "/proc/%s/fd", process);
  DIR* descriptors = opendir(folder);
  if (descriptors == NULL) return false;
  bool found = false;
  const struct dirent* entry;
  while (!found && (entry = readdir(descriptors)) != NULL) {
    ssize_t size = readlinkat(dirfd(descriptors), entry->d_name, target, sizeof target - 1);
    target[size > 0 ? size : 0] = '\0';
    found = strcmp(target, path) == 0;
  }
  closedir(descriptors);
  return found;
}

static bool is_mapped_in(const char* process, const char* path) {
  char name[PATH_MAX], line[2 * PATH_MAX];
  (void)snprintf(name, sizeof name, "/proc/%s/maps", process);
  FILE* maps = fopen(name, "r");
  if (maps == NULL) return false;
  bool found = false;
  while (!found && fgets(line, sizeof line, maps) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    const char* mapped = strchr(line, '/');
    found = mapped != NULL && strcmp(mapped, path) == 0;
  }
  fclose(maps);
  return found;
}

static bool is_held(const char* path) {
  DIR* processes = opendir("/proc");
  bool held = false;
  const struct dirent* entry;
  while (processes != NULL && !held && (entry = readdir(processes)) != NULL) {
    held = isdigit((unsigned char)entry->d_name[0]) &&
           (is_open_in(entry->d_name, path) || is_mapped_in(entry->d_name, path));
  }
  if (processes != NULL) closedir(processes);
  return held;
}

static bool is_of_counts(const char* path) {
  return strstr(path, ".counts") != NULL;
}

static int remove_as_nfs(const char* path) {
  static atomic_int count;
  int (*real_unlink)(const char*);
  *(void**)&real_unlink = real("unlink");
  if (!is_of_counts(path) || !is_held(path)) return real_unlink(path);
  char other[PATH_MAX];
  int folder = (int)(strrchr(path, '/') - path);
  (void)snprintf(other, sizeof other, "%.*s/.nfs%d.%d", folder, path, (int)getpid(),
                 atomic_fetch_add(&count, 1));
  (void)fprintf(stderr, "nfs: removed while somebody has it: %s\n", path);
  return rename(path, other);
}

IN_FRONT int unlink(const char* path) {
  return remove_as_nfs(path);
}

IN_FRONT int unlinkat(int folder, const char* name, int flags) {
  int (*real_unlinkat)(int, const char*, int);
  *(void**)&real_unlinkat = real("unlinkat");
  char link[64], path[PATH_MAX];
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (flags != 0 || size < 0) return real_unlinkat(folder, name, flags);
  (void)snprintf(path + size, sizeof path - (size_t)size, "/%s", name);
  return remove_as_nfs(path);
}

// What nobody has any more has gone before.
IN_FRONT int rmdir(const char* path) {
  int (*real_rmdir)(const char*);
  *(void**)&real_rmdir = real("rmdir");
  DIR* folder = is_of_counts(path) ? opendir(path) : NULL;
  const struct dirent* entry;
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    char file[PATH_MAX];
    (void)snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (strncmp(entry->d_name, ".nfs", 4) == 0 && !is_held(file)) (void)remove(file);
  }
  if (folder != NULL) closedir(folder);
  return real_rmdir(path);
}

IN_FRONT int open(const char* path, int flags, ...) {
  int (*real_open)(const char*, int, mode_t);
  *(void**)&real_open = real("open");
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return real_open(path, flags, mode);
}
