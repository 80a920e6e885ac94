// SPDX-License-Identifier: BSD-3-Clause
// See result_place.h. mkdir takes a place, because only one of several runs can succeed with it.
#define _GNU_SOURCE  // asprintf

#include "result_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "result_names.h"

enum { MOST_NUMBERS = 100000, TRIES = 20 };

char* result_folder(const char* stem) {
  char* folder = NULL;
  return asprintf(&folder, "%s.counts", stem) < 0 ? NULL : folder;
}

static int fail(struct result_place* place, const char* path, int error) {
  free(place->failed);
  place->failed = strdup(path);
  return error;
}

static int is_taken(void* context, const char* path) {
  return fail(context, path, EEXIST);
}

// 0 when there is none of the files a result may have, EEXIST when there is one; EISDIR when a
// folder has its name. The usual ones are asked for by name, in case the folder cannot be listed.
static int look(struct result_place* place, const char* stem) {
  int found = 0;
  for (int i = 0; i < 2 * REPORT_PHASES && found != EISDIR; ++i) {
    char* path = report_path(stem, (enum report_phase)(i / 2), i % 2 != 0);
    if (path == NULL) return ENOMEM;
    struct stat status;
    if (lstat(path, &status) == 0) {
      found = S_ISDIR(status.st_mode) ? EISDIR : EEXIST;
      (void)fail(place, path, found);
    } else if (errno != ENOENT) {
      found = fail(place, path, errno);
      free(path);
      return found;
    }
    free(path);
  }
  return found != 0 ? found : result_each_file(stem, is_taken, place);
}

// Ranks leave files that have their number as name, those of parts with a suffix.
static bool is_of_a_rank(const char* name) {
  size_t digits = strspn(name, "0123456789");
  return digits > 0 && (name[digits] == '\0' || strcmp(name + digits, ".parts") == 0);
}

static void empty_folder(const char* folder) {
  DIR* directory = opendir(folder);
  if (directory == NULL) return;
  const struct dirent* entry;
  while ((entry = readdir(directory)) != NULL) {
    if (is_of_a_rank(entry->d_name)) (void)unlinkat(dirfd(directory), entry->d_name, 0);
  }
  closedir(directory);
}

// A rank holds a lock on its files as long as it lives; where a file system has no locks, nobody
// knows.
static bool is_of_a_living_rank(int folder, const char* name) {
  int file = is_of_a_rank(name) ? openat(folder, name, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return false;
  bool living = flock(file, LOCK_SH | LOCK_NB) != 0;
  close(file);
  return living;
}

static bool has_a_living_rank(DIR* folder) {
  const struct dirent* entry;
  while ((entry = readdir(folder)) != NULL) {
    if (is_of_a_living_rank(dirfd(folder), entry->d_name)) return true;
  }
  return false;
}

// Rank 0 holds a lock on the folder from the start, before there are files in it; on NFS, other
// hosts do not see that one. NULL: see errno, EWOULDBLOCK when another process has it.
static DIR* lock_folder(const char* path) {
  DIR* folder = opendir(path);
  if (folder == NULL || flock(dirfd(folder), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    return folder;
  }
  closedir(folder);
  errno = EWOULDBLOCK;
  return NULL;
}

static bool is_same(DIR* folder, const char* path) {
  struct stat open, named;
  return fstat(dirfd(folder), &open) == 0 && stat(path, &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

// The same for a folder that is there, where no rank of it lives. Those of a job that was killed
// may take a moment to end.
static DIR* lock_folder_of_the_dead(const char* path) {
  for (int tries = 0; tries < TRIES; ++tries) {
    if (tries > 0) nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    DIR* folder = lock_folder(path);
    if (folder == NULL && errno != EWOULDBLOCK) return NULL;
    // Who had it locked before may have put another one in its place.
    if (folder != NULL && is_same(folder, path) && !has_a_living_rank(folder)) return folder;
    if (folder != NULL) closedir(folder);
  }
  errno = EWOULDBLOCK;
  return NULL;
}

// 0, or EEXIST when another run has taken the folder between its making and now.
static int keep_new_folder(struct result_place* place) {
  place->lock = lock_folder(place->folder);
  bool lost = place->lock != NULL ? !is_same(place->lock, place->folder) : errno == EWOULDBLOCK;
  if (!lost) return 0;
  if (place->lock != NULL) closedir(place->lock);
  place->lock = NULL;
  return fail(place, place->folder, EEXIST);
}

// A folder that is there, of a run that has ended. EEXIST: it has not.
static int take_over(struct result_place* place) {
  DIR* old = lock_folder_of_the_dead(place->folder);
  if (old == NULL && errno == EWOULDBLOCK) return fail(place, place->folder, EEXIST);
  empty_folder(place->folder);
  // Also where the folder was there, it must be one that can be written to.
  bool made = (rmdir(place->folder) == 0 || errno == ENOENT) && mkdir(place->folder, 0777) == 0;
  int error = made ? keep_new_folder(place) : fail(place, place->folder, errno);
  if (old != NULL) closedir(old);  // whoever made it at the same time has seen the lock
  return error;
}

// EEXIST: this name is taken.
static int take(struct result_place* place, const char* stem, bool overwrite) {
  place->folder = result_folder(stem);
  if (place->folder == NULL) return ENOMEM;
  int error = look(place, stem);
  if (error != 0 && (error != EEXIST || !overwrite))
    return error == EISDIR && !overwrite ? EEXIST : error;
  if (mkdir(place->folder, 0777) == 0) return keep_new_folder(place);
  if (errno != EEXIST || !overwrite) return fail(place, place->folder, errno);
  return take_over(place);
}

int result_place_take(struct result_place* place, const char* wanted, bool overwrite) {
  *place = (struct result_place){0};
  for (int number = 0; number < MOST_NUMBERS; ++number) {
    free(place->stem);
    free(place->folder);
    place->folder = NULL;
    int length = number == 0 ? asprintf(&place->stem, "%s", wanted)
                             : asprintf(&place->stem, "%s.%d", wanted, number);
    if (length < 0) {
      place->stem = NULL;
      return ENOMEM;
    }
    place->overwrite = overwrite && number == 0;
    int error = take(place, place->stem, place->overwrite);
    if (error != EEXIST) return error;
  }
  return EEXIST;
}

void result_place_clear(const struct result_place* place) {
  empty_folder(place->folder);
  (void)rmdir(place->folder);
}

void result_place_release(struct result_place* place) {
  free(place->stem);
  free(place->folder);
  free(place->failed);
  if (place->lock != NULL) closedir(place->lock);
  *place = (struct result_place){0};
}
