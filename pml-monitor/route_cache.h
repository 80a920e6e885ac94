// SPDX-License-Identifier: BSD-3-Clause
// Where the counters for (communicator, destination) are, for destinations met lately, so that a
// message costs one comparison and not a search: a fixed 4 KB, two entries to a line. For one
// thread at a time. All in a header: it is part of each send. Knows nothing of Open MPI.
#pragma once

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct partner;

enum { ROUTE_LINE_BITS = 7, ROUTE_LINES = 1 << ROUTE_LINE_BITS, ROUTE_WAYS = 2 };

struct route {
  uint64_t key;
  struct partner* partner;
};

struct route_line {
  struct route ways[ROUTE_WAYS];  // the one met last comes first
};

struct route_cache {
  struct route_line lines[ROUTE_LINES];
};

// No communicator has this number.
#define ROUTE_NONE UINT64_MAX

static inline uint64_t route_key(uint32_t communicator, int destination) {
  return (uint64_t)communicator << 32 | (uint32_t)destination;
}

// Fibonacci hashing, because partners are often a power of two apart.
static inline struct route_line* route_line_of(struct route_cache* cache, uint64_t key) {
  return &cache->lines[(key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - ROUTE_LINE_BITS)];
}

static inline void route_cache_clear(struct route_cache* cache) {
  memset(cache, 0xff, sizeof *cache);  // every key is ROUTE_NONE
}

// NULL: not met lately.
static inline struct partner* route_cache_find(struct route_cache* cache, uint64_t key) {
  const struct route_line* line = route_line_of(cache, key);
  if (line->ways[0].key == key) return line->ways[0].partner;
  return line->ways[1].key == key ? line->ways[1].partner : NULL;
}

static inline void route_cache_add(struct route_cache* cache, uint64_t key,
                                   struct partner* partner) {
  struct route_line* line = route_line_of(cache, key);
  line->ways[1] = line->ways[0];
  line->ways[0] = (struct route){key, partner};
}

// Its number may be given to another communicator.
static inline void route_cache_forget(struct route_cache* cache, uint32_t communicator) {
  for (int i = 0; i < ROUTE_LINES * ROUTE_WAYS; ++i) {
    struct route* route = &cache->lines[i / ROUTE_WAYS].ways[i % ROUTE_WAYS];
    if (route->key >> 32 == communicator) route->key = ROUTE_NONE;
  }
}

#ifdef __cplusplus
}
#endif
