// SPDX-License-Identifier: BSD-3-Clause
// See result_names.h.
#define _GNU_SOURCE  // asprintf

#include "result_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report.h"

// What follows the base name and a dot, in whole.
static const char* const whole[] = {"ranks.json", "other-jobs.txt", "sizes.txt", "declared.mtx"};
static const char* const endings[] = {"bytes.mtx", "messages.mtx"};

static bool is_one_of(const char* text, const char* const* names, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(text, names[i]) == 0) return true;
  }
  return false;
}

// Behind "phase3.", or where it was.
static const char* behind_phase(const char* text) {
  static const char word[] = "phase";
  size_t length = sizeof word - 1;
  if (strncmp(text, word, length) != 0) return text;
  size_t digits = strspn(text + length, "0123456789");
  return digits > 0 && text[length + digits] == '.' ? text + length + digits + 1 : text;
}

// Behind "user.", or where it was.
static const char* behind_class(const char* text) {
  static const char estimated[] = "estimated.";
  if (strncmp(text, estimated, sizeof estimated - 1) == 0) return text + sizeof estimated - 1;
  for (int phase = 0; phase < REPORT_ALL; ++phase) {
    const char* name = report_phase_name((enum report_phase)phase);
    size_t length = strlen(name);
    if (strncmp(text, name, length) == 0 && text[length] == '.') return text + length + 1;
  }
  return text;
}

bool result_owns(const char* base, const char* name) {
  size_t length = strlen(base);
  if (strncmp(name, base, length) != 0 || name[length] != '.') return false;
  const char* rest = name + length + 1;
  if (is_one_of(rest, whole, sizeof whole / sizeof *whole)) return true;
  return is_one_of(behind_class(behind_phase(rest)), endings, sizeof endings / sizeof *endings);
}

int result_each_file(const char* stem, result_file_fn visit, void* context) {
  const char* slash = strrchr(stem, '/');
  size_t length = slash != NULL ? (size_t)(slash - stem) + 1 : 0;
  char* folder = slash != NULL ? strndup(stem, length) : strdup(".");
  DIR* directory = folder != NULL ? opendir(folder) : NULL;
  free(folder);
  if (directory == NULL) return 0;
  int result = 0;
  const struct dirent* entry;
  while (result == 0 && (entry = readdir(directory)) != NULL) {
    if (!result_owns(stem + length, entry->d_name)) continue;
    struct stat status;
    if (fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(status.st_mode)) continue;
    char* path = NULL;
    if (asprintf(&path, "%.*s%s", (int)length, stem, entry->d_name) < 0) {
      result = ENOMEM;
      break;
    }
    result = visit(context, path);
    free(path);
  }
  closedir(directory);
  return result;
}
