// SPDX-License-Identifier: BSD-3-Clause
// The Matrix Market writer; see mtx_writer.h.
#define _GNU_SOURCE  // asprintf

#include "mtx_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char* folder_of(const char* path) {
  const char* end = strrchr(path, '/');
  if (end == NULL) return strdup(".");
  return end == path ? strdup("/") : strndup(path, (size_t)(end - path));
}

// In the same directory because rename cannot leave a file system, and short, because that of the
// target may be as long as names can be.
char* mtx_temporary_name(const char* path) {
  static atomic_uint count;  // the clock may not tell two files apart
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char* folder = folder_of(path);
  char* name = NULL;
  if (folder == NULL) return NULL;
  int length = asprintf(&name, "%s/.tofa-%ld-%lld%09ld-%u.tmp", folder, (long)getpid(),
                        (long long)now.tv_sec, now.tv_nsec, atomic_fetch_add(&count, 1));
  free(folder);
  return length < 0 ? NULL : name;
}

int mtx_create(struct mtx_writer* writer, const char* path) {
  *writer = (struct mtx_writer){.path = strdup(path)};
  char* temporary = NULL;
  int fd = -1;
  // The clock may not tell two files apart.
  for (int tries = 0; tries < 100 && fd < 0 && (tries == 0 || errno == EEXIST); ++tries) {
    free(temporary);
    temporary = mtx_temporary_name(path);
    if (writer->path == NULL || temporary == NULL) {
      free(temporary);
      return ENOMEM;
    }
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (fd < 0) {
    int error = errno;
    free(temporary);
    return error;
  }
  writer->temporary = temporary;
  writer->stream = fdopen(fd, "w");
  if (writer->stream == NULL) {
    int error = errno;
    close(fd);
    return error;
  }
  return 0;
}

// A command line need not be UTF-8, JSON must be.
void mtx_write_json_string(FILE* stream, const char* text) {
  putc('"', stream);
  for (const unsigned char* c = (const unsigned char*)text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') {
      fprintf(stream, "\\%c", *c);
    } else if (*c < 0x20 || *c == 0x7f) {
      fprintf(stream, "\\u%04x", *c);
    } else {
      putc(*c < 0x80 ? *c : '?', stream);
    }
  }
  putc('"', stream);
}

static void write_json_member(FILE* stream, const char* name, const char* text) {
  fprintf(stream, ",\"%s\":", name);
  mtx_write_json_string(stream, text);
}

// Left out where there is nothing to list.
static void write_json_list(FILE* stream, const char* name, const char* text) {
  if (text != NULL && text[0] != '\0') write_json_member(stream, name, text);
}

static int status(const struct mtx_writer* writer) {
  if (!ferror(writer->stream)) return 0;
  return errno != 0 ? errno : EIO;
}

int mtx_write_tofa_line(struct mtx_writer* writer, const struct mtx_metadata* metadata) {
  FILE* stream = writer->stream;
  fprintf(stream, "%%tofa {\"version\":1,\"ranks\":%" PRIu32, metadata->ranks);
  write_json_member(stream, "quantity", metadata->quantity);
  write_json_member(stream, "phase", metadata->phase);
  write_json_member(stream, "command", metadata->command);
  write_json_member(stream, "date", metadata->date);
  write_json_member(stream, "open_mpi", metadata->open_mpi);
  fprintf(stream,
          ",\"untracked_messages\":%" PRIu64 ",\"untracked_bytes\":%" PRIu64
          ",\"missing_ranks\":%" PRIu32,
          metadata->untracked_messages, metadata->untracked_bytes, metadata->missing_ranks);
  write_json_list(stream, "not_counted", metadata->not_counted);
  write_json_list(stream, "estimated", metadata->estimated);
  write_json_list(stream, "missing", metadata->missing_list);
  write_json_list(stream, "partial", metadata->partial_list);
  fputs("}\n", stream);
  return status(writer);
}

int mtx_write_head(struct mtx_writer* writer, const struct mtx_metadata* metadata,
                   uint64_t entries) {
  return mtx_write_head_of(writer, "%%MatrixMarket matrix coordinate integer general", metadata,
                           entries);
}

int mtx_write_head_of(struct mtx_writer* writer, const char* banner,
                      const struct mtx_metadata* metadata, uint64_t entries) {
  fprintf(writer->stream, "%s\n", banner);
  (void)mtx_write_tofa_line(writer, metadata);
  fprintf(writer->stream, "%" PRIu32 " %" PRIu32 " %" PRIu64 "\n", metadata->ranks, metadata->ranks,
          entries);
  return status(writer);
}

int mtx_write_entry(struct mtx_writer* writer, uint64_t row, uint64_t column, uint64_t value) {
  fprintf(writer->stream, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", row, column, value);
  return status(writer);
}

int mtx_flush(struct mtx_writer* writer) {
  int error = fflush(writer->stream) == 0 && fsync(fileno(writer->stream)) == 0 ? 0 : errno;
  if (fclose(writer->stream) != 0 && error == 0) error = errno;
  writer->stream = NULL;
  return error;
}

// Keeps what has this name by another one, for as long as the renaming may be undone. As a second
// name, so that there is always one of the two; where the file system has no second names, what is
// there goes aside. 0 also where nothing is there.
static int keep_earlier(struct mtx_writer* writer) {
  writer->earlier = mtx_temporary_name(writer->path);
  if (writer->earlier == NULL) return ENOMEM;
  if (link(writer->path, writer->earlier) == 0) return 0;
  struct stat status;
  bool folder = lstat(writer->path, &status) == 0 && S_ISDIR(status.st_mode);
  if (folder || rename(writer->path, writer->earlier) != 0) {
    int error = folder || errno == ENOENT ? 0 : errno;
    free(writer->earlier);
    writer->earlier = NULL;
    return error;
  }
  return 0;
}

// If that fails, it stays where it is.
static void return_earlier(struct mtx_writer* writer) {
  if (writer->earlier == NULL) return;
  // Two names of one file are not renamed into each other.
  if (rename(writer->earlier, writer->path) == 0) (void)unlink(writer->earlier);
  free(writer->earlier);
  writer->earlier = NULL;
}

int mtx_publish(struct mtx_writer* writer) {
  int error = keep_earlier(writer);
  if (error != 0) return error;
  if (rename(writer->temporary, writer->path) != 0) {
    error = errno;
    return_earlier(writer);
    return error;
  }
  free(writer->temporary);
  writer->temporary = NULL;
  writer->published = true;
  return 0;
}

void mtx_retract(struct mtx_writer* writer) {
  if (!writer->published) return;
  writer->published = false;
  if (writer->earlier == NULL) {
    unlink(writer->path);
  } else {
    return_earlier(writer);
  }
}

void mtx_settle(struct mtx_writer* writer) {
  writer->published = false;
  char* folder = folder_of(writer->path);
  int fd = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(folder);
  if (fd < 0) return;
  (void)fsync(fd);
  close(fd);
}

void mtx_discard(struct mtx_writer* writer) {
  if (writer->stream != NULL) fclose(writer->stream);
  if (writer->temporary != NULL) unlink(writer->temporary);
  if (writer->earlier != NULL) unlink(writer->earlier);
  free(writer->earlier);
  free(writer->temporary);
  free(writer->path);
  *writer = (struct mtx_writer){0};
}
