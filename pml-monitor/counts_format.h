// SPDX-License-Identifier: BSD-3-Clause
// The file that a rank's counters live in, as `tofa graph recover` reads it, in the byte order of
// its machine: struct counts_head, then one struct partner after the other; those that are not
// `used` are free. None crosses the border of a block: what does not fit is left empty. The first
// block is enough for 32 partners. The file of the rank's parts is the same, but for its magic and
// the partners' numbers, which are those of parts.h. Knows nothing of Open MPI.
#pragma once

#include <stdatomic.h>

#include "mpi_times.h"
#include "partner_table.h"

enum {
  COUNTS_HEAD_SIZE = 512,
  COUNTS_BLOCK_SIZE = 4096,  // a page has one or several
  PARTNER_SIZE = 112,
  COUNTS_VERSION = 5
};

// The last: the disk was full, and some counters are not in the file.
enum counts_state { COUNTS_GROW, COUNTS_ARE_COMPLETE, COUNTS_ARE_CUT };

#define COUNTS_MAGIC "tofacnt1"
#define PARTS_MAGIC "tofaprt1"

struct counts_head {
  char magic[8];
  uint32_t byte_order;  // 0x01020304
  uint32_t rank, ranks;
  _Atomic uint32_t state;
  uint64_t started;  // seconds since 1970
  _Atomic uint64_t untracked_messages;
  uint32_t apart;  // the classes of traffic were asked for apart
  uint32_t version;
  char open_mpi[32];
  char host[104];
  _Atomic uint64_t untracked_bytes;
  _Atomic uint32_t not_counted;  // bits of not_counted.h
  _Atomic uint32_t phase;        // of parts: the one that is on
  char command[280];
  _Atomic uint64_t began;  // when the rank left MPI_Init, in nanoseconds of CLOCK_MONOTONIC
  struct mpi_times times;  // since then; zeros: not counted
};

struct partner {
  uint32_t rank;
  _Atomic uint32_t used;
  _Atomic uint64_t bytes[TRAFFIC_KINDS];
  _Atomic uint64_t messages[TRAFFIC_KINDS];
  uint64_t set;  // of partner_table.h: whose rank it is
};

// A counter that only one thread writes needs no locked instruction: whoever reads the file, at
// any time, sees it before or after.
static inline void partner_add_alone(_Atomic uint64_t* counter, uint64_t value) {
  uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
  atomic_store_explicit(counter, before + value, memory_order_relaxed);
}

// partner_count for one thread at a time.
static inline void partner_count_alone(struct partner* partner, enum traffic_kind kind,
                                       uint64_t bytes) {
  partner_add_alone(&partner->bytes[kind], bytes);
  partner_add_alone(&partner->messages[kind], 1);
}
