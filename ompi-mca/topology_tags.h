// SPDX-License-Identifier: BSD-3-Clause
// What processes ask each other when a topology is made, which the monitor counts as the library's.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Messages of programs have tags from 0, and the tags of Open MPI's collectives go down from -10,
// one by one for those that do not block. Questions and answers are far from those of their time,
// and within the bits that networks leave for a tag.
enum {
  TOPOLOGY_QUESTIONS = 256,  // calls whose questions are not taken for each other's
  TOPOLOGY_TAGS = -0x500000,
  TOPOLOGY_OTHER_TAGS = -0x700000  // while the collectives go by
};

struct topology_tags {
  int question, answer;
};

// Of a call on a communicator. `number` is the tag that its next nonblocking collective will have:
// the same on all processes that make the call, and another one in the next, since Open MPI makes
// no communicator without such collectives.
static inline struct topology_tags topology_tags_of(int32_t number) {
  enum { NEAR_BITS = 0x600000, NEAR = 0x400000 };
  uint32_t down = 0U - (uint32_t)number;
  int first = (down & NEAR_BITS) == NEAR ? TOPOLOGY_OTHER_TAGS : TOPOLOGY_TAGS;
  return (struct topology_tags){first - 1 - (int)(down % TOPOLOGY_QUESTIONS), first};
}

static inline bool is_topology_tag(int tag) {
  return (tag <= TOPOLOGY_TAGS && tag >= TOPOLOGY_TAGS - TOPOLOGY_QUESTIONS) ||
         (tag <= TOPOLOGY_OTHER_TAGS && tag >= TOPOLOGY_OTHER_TAGS - TOPOLOGY_QUESTIONS);
}
