// SPDX-License-Identifier: BSD-3-Clause
// See result_place.h. mkdir takes a place, because only one of several runs can succeed with it.
#define _GNU_SOURCE  // asprintf

#include "result_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "result_names.h"

enum { MOST_NUMBERS = 100000 };

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

static void empty_folder(const char* folder) {
  DIR* directory = opendir(folder);
  if (directory == NULL) return;
  const struct dirent* entry;
  while ((entry = readdir(directory)) != NULL) {
    // Ranks leave files that have their number as name, those of parts with a suffix.
    size_t digits = strspn(entry->d_name, "0123456789");
    const char* rest = entry->d_name + digits;
    if (digits > 0 && (*rest == '\0' || strcmp(rest, ".parts") == 0)) {
      (void)unlinkat(dirfd(directory), entry->d_name, 0);
    }
  }
  closedir(directory);
}

// EEXIST: this name is taken.
static int take(struct result_place* place, const char* stem, bool overwrite) {
  place->folder = result_folder(stem);
  if (place->folder == NULL) return ENOMEM;
  int error = look(place, stem);
  if (error != 0 && (error != EEXIST || !overwrite))
    return error == EISDIR && !overwrite ? EEXIST : error;
  if (mkdir(place->folder, 0777) == 0) return 0;
  if (errno != EEXIST || !overwrite) return fail(place, place->folder, errno);
  empty_folder(place->folder);
  // Also where the folder was there, it must be one that can be written to.
  if (rmdir(place->folder) == 0 && mkdir(place->folder, 0777) == 0) return 0;
  return fail(place, place->folder, errno);
}

int result_place_take(struct result_place* place, const char* wanted, bool overwrite) {
  *place = (struct result_place){.overwrite = overwrite};
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
    int error = take(place, place->stem, overwrite);
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
  *place = (struct result_place){0};
}
