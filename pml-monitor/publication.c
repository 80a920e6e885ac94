// SPDX-License-Identifier: BSD-3-Clause
// See publication.h.
#define _GNU_SOURCE  // strdup

#include "publication.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "result_names.h"

struct aside {
  struct aside* next;
  char* path;
  char* name;  // where it is now
};

int publication_take(struct publication* publication, struct mtx_writer* writer) {
  if (publication->count == publication->room) {
    size_t room = publication->room > 0 ? 2 * publication->room : 16;
    struct mtx_writer* files = realloc(publication->files, room * sizeof *files);
    if (files == NULL) return ENOMEM;
    publication->files = files;
    publication->room = room;
  }
  int error = writer->stream != NULL ? mtx_flush(writer) : 0;
  if (error != 0) return error;
  publication->files[publication->count++] = *writer;
  *writer = (struct mtx_writer){0};
  return 0;
}

void publication_cut(struct publication* publication, size_t count) {
  while (publication->count > count) mtx_discard(&publication->files[--publication->count]);
}

static bool is_folder(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int publication_check(const struct publication* publication, size_t count) {
  for (size_t i = count; i < publication->count; ++i) {
    if (is_folder(publication->files[i].path)) return EISDIR;
  }
  return 0;
}

static int fail(struct publication* publication, const char* path, int error) {
  free(publication->failed);
  publication->failed = strdup(path);
  return error;
}

static int put_aside(struct publication* publication, const char* path) {
  struct aside* aside = calloc(1, sizeof *aside);
  if (aside == NULL) return ENOMEM;
  *aside = (struct aside){.path = strdup(path), .name = mtx_temporary_name(path)};
  int error = aside->path == NULL || aside->name == NULL ? ENOMEM : 0;
  if (error == 0 && rename(path, aside->name) != 0) error = errno;
  if (error == 0) {
    aside->next = publication->aside;
    publication->aside = aside;
    return 0;
  }
  free(aside->path);
  free(aside->name);
  free(aside);
  return error == ENOENT ? 0 : fail(publication, path, error);
}

static bool is_of_the_new(const struct publication* publication, const char* path) {
  for (size_t i = 0; i < publication->count; ++i) {
    if (strcmp(publication->files[i].path, path) == 0) return true;
  }
  return false;
}

static int put_aside_if_old(void* context, const char* path) {
  struct publication* publication = context;
  return is_of_the_new(publication, path) ? 0 : put_aside(publication, path);
}

// What was put aside first comes back last.
static void bring_back(struct publication* publication) {
  for (const struct aside* aside = publication->aside; aside != NULL; aside = aside->next) {
    (void)rename(aside->name, aside->path);
  }
}

static void forget_aside(struct publication* publication, bool remove) {
  while (publication->aside != NULL) {
    struct aside* gone = publication->aside;
    publication->aside = gone->next;
    if (remove) (void)unlink(gone->name);
    free(gone->path);
    free(gone->name);
    free(gone);
  }
}

// A folder in the way is not put aside: it is an error of the renaming.
static int make_way(struct publication* publication, const char* stem, const char* last) {
  struct stat status;
  bool there = lstat(last, &status) == 0 && !S_ISDIR(status.st_mode);
  int error = there ? put_aside(publication, last) : 0;
  return error != 0 ? error : result_each_file(stem, put_aside_if_old, publication);
}

static int publish(struct publication* publication, const char* last) {
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < publication->count; ++i) {
      struct mtx_writer* file = &publication->files[i];
      if ((strcmp(file->path, last) == 0) != (round == 1)) continue;
      int error = mtx_publish(file);
      if (error != 0) return fail(publication, file->path, error);
    }
  }
  return 0;
}

int publication_commit(struct publication* publication, const char* stem, bool replace) {
  char* last = report_path(stem, REPORT_ALL, false);
  if (last == NULL) return ENOMEM;
  int error = replace ? make_way(publication, stem, last) : 0;
  if (error == 0) error = publish(publication, last);
  free(last);
  for (size_t i = 0; error != 0 && i < publication->count; ++i) {
    mtx_retract(&publication->files[i]);
  }
  if (error != 0) bring_back(publication);
  forget_aside(publication, error == 0);
  for (size_t i = 0; error == 0 && i < publication->count; ++i) {
    publication->files[i].published = false;
  }
  if (error == 0 && publication->count > 0) mtx_settle(&publication->files[0]);
  return error;
}

void publication_discard(struct publication* publication) {
  publication_cut(publication, 0);
  free(publication->files);
  forget_aside(publication, false);
  free(publication->failed);
  *publication = (struct publication){0};
}
