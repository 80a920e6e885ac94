// SPDX-License-Identifier: BSD-3-Clause
// dt black-hole|white-hole: the data flow of NAS Parallel Benchmark DT, class C, on 85 ranks. Black
// hole: ranks 0-63 each hold a source, and four at a time join in ranks 64-79, those in 80-83,
// those in 84. White hole: the same tree, numbered from the other end and run the other way. One
// wave goes through the tree in a run; messages are 1/64 of class C's. See buildBH, buildWH,
// CombineStreams and SendResults in dt.c.
#include <string.h>

#include "job.h"

enum { kRanks = 85, kRoot = 84, kFan = 4, kLength = 4, kMessage = 1728 * 4096 * 4 * 8 / 64 };

// In black-hole numbering: who joins in whom.
static int parent_of(int rank) {
  if (rank == kRoot) return -1;
  if (rank < 64) return 64 + rank / kFan;
  return rank < 80 ? 80 + (rank - 64) / kFan : kRoot;
}

static int first_child_of(int rank) {
  if (rank < 64) return -1;
  if (rank < 80) return (rank - 64) * kFan;
  return rank < kRoot ? 64 + (rank - 80) * kFan : 80;
}

static void collect(struct Job* job) {
  const int child = first_child_of(job->rank);
  for (int i = 0; child >= 0 && i < kFan; ++i) {
    job_receive(job, child + i, kLength);
    job_receive(job, child + i, kMessage);
  }
  const int parent = parent_of(job->rank);
  if (parent < 0) return;
  job_send(job, parent, kLength);
  job_send(job, parent, kMessage);
}

static void spread(struct Job* job) {
  const int self = kRoot - job->rank;
  const int parent = parent_of(self);
  if (parent >= 0) {
    job_receive(job, kRoot - parent, kLength);
    job_receive(job, kRoot - parent, kMessage);
  }
  const int child = first_child_of(self);
  for (int i = kFan - 1; child >= 0 && i >= 0; --i) {
    job_send(job, kRoot - (child + i), kLength);
    job_send(job, kRoot - (child + i), kMessage);
  }
}

int main(int argc, char** argv) {
  struct Job job;
  job_begin(&job, &argc, &argv, 1);
  const char* graph = argc > 1 ? argv[1] : "";
  const int black = strcmp(graph, "black-hole") == 0;
  job_require(&job, job.ranks == kRanks && (black || strcmp(graph, "white-hole") == 0),
              "call it as dt black-hole|white-hole, on 85 ranks");
  job_start(&job);
  for (int i = 0; i < job.iterations; ++i) {
    if (black) {
      collect(&job);
    } else {
      spread(&job);
    }
  }
  return job_end(&job);
}
