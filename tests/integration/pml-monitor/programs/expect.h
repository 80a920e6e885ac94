// SPDX-License-Identifier: BSD-3-Clause
// A test program notes every message it sends here, by destination in MPI_COMM_WORLD, and leaves
// the sums in expected.RANK as lines `row column bytes messages`. The test compares them with what
// the monitor wrote.
#pragma once

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXPECT_RANKS = 64 };

static _Atomic long long expect_bytes[EXPECT_RANKS];
static _Atomic long long expect_messages[EXPECT_RANKS];

static inline void expect_send(int world_rank, long long bytes) {
  expect_bytes[world_rank] += bytes;
  ++expect_messages[world_rank];
}

static _Atomic long long expect_got_bytes[EXPECT_RANKS];
static _Atomic long long expect_got_messages[EXPECT_RANKS];

// What this rank fetches; the other one is the sender.
static inline void expect_get(int world_rank, long long bytes) {
  expect_got_bytes[world_rank] += bytes;
  ++expect_got_messages[world_rank];
}

static inline int expect_world_rank(MPI_Comm comm, int comm_rank) {
  MPI_Group world, group;
  int found;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(comm, &group);
  MPI_Group_translate_ranks(group, 1, &comm_rank, world, &found);
  MPI_Group_free(&world);
  MPI_Group_free(&group);
  return found;
}

static inline void expect_write(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[64];
  snprintf(name, sizeof name, "expected.%d", rank);
  FILE* file = fopen(name, "w");
  if (file == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int to = 0; to < EXPECT_RANKS; ++to) {
    if (expect_messages[to] == 0) continue;
    fprintf(file, "%d %d %lld %lld\n", rank + 1, to + 1, expect_bytes[to], expect_messages[to]);
  }
  for (int from = 0; from < EXPECT_RANKS; ++from) {
    if (expect_got_messages[from] == 0) continue;
    fprintf(file, "%d %d %lld %lld\n", from + 1, rank + 1, expect_got_bytes[from],
            expect_got_messages[from]);
  }
  fclose(file);
}
