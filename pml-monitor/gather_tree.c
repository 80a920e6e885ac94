// SPDX-License-Identifier: BSD-3-Clause
// See gather_tree.h. Rank r, with k zero bits at its end, stands above r + 1, r + 2, r + 4 ... up
// to r + 2^(k-1), and all below it lies in [r, r + 2^k).
#include "gather_tree.h"

#include <stdlib.h>

static unsigned levels_of(uint32_t ranks) {
  unsigned levels = 0;
  while (levels < 32 && (UINT64_C(1) << levels) < ranks) ++levels;
  return levels;
}

static unsigned height_of(uint32_t rank, uint32_t ranks) {
  return rank == 0 ? levels_of(ranks) : (unsigned)__builtin_ctz(rank);
}

bool tree_parent(uint32_t rank, tree_present_fn present, void* context, uint32_t* parent) {
  while (rank != 0) {
    rank &= rank - 1;
    if (!present(context, rank)) continue;
    *parent = rank;
    return true;
  }
  return false;
}

struct list {
  uint32_t* ranks;
  int count, room;
};

static bool append(struct list* list, uint32_t rank) {
  if (list->count == list->room) {
    int room = 2 * list->room + 16;
    uint32_t* larger = realloc(list->ranks, sizeof *larger * (size_t)room);
    if (larger == NULL) return false;
    list->ranks = larger;
    list->room = room;
  }
  list->ranks[list->count++] = rank;
  return true;
}

int tree_children(uint32_t rank, uint32_t ranks, tree_present_fn present, void* context,
                  uint32_t** children) {
  struct list list = {0};
  uint64_t end = (uint64_t)rank + (UINT64_C(1) << height_of(rank, ranks));
  if (end > ranks) end = ranks;
  // A rank that takes part has all up to the end of its own part of the tree below it.
  for (uint64_t at = (uint64_t)rank + 1; at < end;) {
    uint32_t below = (uint32_t)at;
    if (!present(context, below)) {
      ++at;
      continue;
    }
    if (!append(&list, below)) {
      free(list.ranks);
      return -1;
    }
    at += UINT64_C(1) << height_of(below, ranks);
  }
  *children = list.ranks;
  return list.count;
}

double tree_patience(uint32_t rank, uint32_t ranks) {
  unsigned levels = levels_of(ranks);
  return levels == 0 ? 1.0 : 0.5 + 0.5 * height_of(rank, ranks) / levels;
}
