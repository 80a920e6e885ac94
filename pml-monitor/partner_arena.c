// SPDX-License-Identifier: BSD-3-Clause
// See partner_arena.h. Pieces are added and never moved: each is as large as all before it. The
// blocks of a piece are taken from the disk before it is used: a full disk must not be learnt from
// a signal.
#define _GNU_SOURCE  // MAP_ANONYMOUS, MAP_POPULATE

#include "partner_arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "counts_format.h"

enum { MOST_PIECES = 48 };

_Static_assert(sizeof(struct counts_head) == COUNTS_HEAD_SIZE, "read by tofa graph recover");
_Static_assert(sizeof(struct partner) == PARTNER_SIZE, "read by tofa graph recover");

struct piece {
  void* memory;
  size_t size;
};

struct partner_arena {
  int fd;    // -1: no file
  bool cut;  // the disk was full: what comes is not in the file
  size_t size;
  struct piece pieces[MOST_PIECES];
  int count;
  char *next, *end;  // what is free of the last piece
};

// Beyond the limit of file sizes there is a signal, too.
static bool is_allowed(size_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && size <= limit.rlim_cur;
}

static void* map_from_file(struct partner_arena* arena, size_t size) {
  errno = EFBIG;
  if (arena->fd < 0 || arena->cut || !is_allowed(arena->size + size)) return MAP_FAILED;
  int error;
  do {
    error = posix_fallocate(arena->fd, (off_t)arena->size, (off_t)size);
  } while (error == EINTR);
  errno = error;
  if (error != 0) return MAP_FAILED;
  return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, arena->fd,
              (off_t)arena->size);
}

static bool add_piece(struct partner_arena* arena, bool file_only) {
  if (arena->count == MOST_PIECES) return false;
  size_t size = arena->size > 0 ? arena->size : (size_t)sysconf(_SC_PAGESIZE);
  void* memory = map_from_file(arena, size);
  if (memory == MAP_FAILED && !file_only) {
    // A hole in the file would look like free partners; so nothing more goes there. It stays open:
    // its lock says that we live.
    if (arena->fd >= 0) atomic_store(&partner_arena_head(arena)->state, COUNTS_ARE_CUT);
    arena->cut = true;
    memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  }
  if (memory == MAP_FAILED) return false;
  arena->pieces[arena->count++] = (struct piece){memory, size};
  arena->size += size;
  arena->next = memory;
  arena->end = arena->next + size;
  return true;
}

struct partner_arena* partner_arena_new(const char* path, const struct counts_head* head) {
  struct partner_arena* arena = calloc(1, sizeof *arena);
  if (arena == NULL) return NULL;
  arena->fd = path != NULL ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
  bool good = path == NULL || arena->fd >= 0;
  bool created = arena->fd >= 0;
  if (!good || !add_piece(arena, path != NULL)) {
    int error = errno;
    if (created) unlink(path);
    partner_arena_free(arena);
    errno = error;
    return NULL;
  }
  // As long as this is held, the process lives.
  if (created) (void)flock(arena->fd, LOCK_EX | LOCK_NB);
  if (head != NULL) memcpy(arena->pieces[0].memory, head, sizeof *head);
  arena->next += COUNTS_HEAD_SIZE;
  return arena;
}

void partner_arena_free(struct partner_arena* arena) {
  if (arena == NULL) return;
  for (int i = 0; i < arena->count; ++i) munmap(arena->pieces[i].memory, arena->pieces[i].size);
  if (arena->fd >= 0) close(arena->fd);
  free(arena);
}

struct partner* partner_arena_take(struct partner_arena* arena) {
  // Pieces start where pages do, so that an address tells the place in a block.
  size_t in_block = (uintptr_t)arena->next % COUNTS_BLOCK_SIZE;
  if (in_block + PARTNER_SIZE > COUNTS_BLOCK_SIZE) arena->next += COUNTS_BLOCK_SIZE - in_block;
  if (arena->next == arena->end && !add_piece(arena, false)) return NULL;
  struct partner* partner = (struct partner*)arena->next;
  arena->next += PARTNER_SIZE;
  return partner;
}

struct counts_head* partner_arena_head(struct partner_arena* arena) {
  return arena->pieces[0].memory;
}
