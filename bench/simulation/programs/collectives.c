// SPDX-License-Identifier: BSD-3-Clause
// Collectives by several algorithms: see collectives.h.
#include "collectives.h"

#include <string.h>

enum Algorithm algorithm_of(struct Job* job, const char* name) {
  const int binomial = strcmp(name, "binomial") == 0;
  job_require(job, binomial || strcmp(name, "linear") == 0,
              "the algorithm of collectives must be binomial or linear");
  return binomial ? kBinomial : kLinear;
}

// Those who know it already are the multiples of twice the distance.
static void broadcast_binomial(struct Job* job, size_t bytes) {
  int distance = 1;
  while (distance < job->ranks) distance *= 2;
  for (distance /= 2; distance > 0; distance /= 2) {
    if (job->rank % (2 * distance) == 0 && job->rank + distance < job->ranks) {
      job_send(job, job->rank + distance, bytes);
    } else if (job->rank % (2 * distance) == distance) {
      job_receive(job, job->rank - distance, bytes);
    }
  }
}

static void broadcast_linear(struct Job* job, size_t bytes) {
  if (job->rank != 0) {
    job_receive(job, 0, bytes);
    return;
  }
  for (int rank = 1; rank < job->ranks; ++rank) job_send(job, rank, bytes);
}

static void spread(struct Job* job, enum Algorithm algorithm, size_t bytes) {
  if (algorithm == kBinomial) {
    broadcast_binomial(job, bytes);
  } else {
    broadcast_linear(job, bytes);
  }
}

void broadcast(struct Job* job, enum Algorithm algorithm, size_t bytes) {
  const enum Part before = job_enter(job, kInBroadcast);
  spread(job, algorithm, bytes);
  job_enter(job, before);
}

void sum_over_all(struct Job* job, enum Algorithm algorithm, size_t bytes) {
  const enum Part before = job_enter(job, kInSum);
  const struct Group all = {0, 1, job->ranks, job->rank};
  if (algorithm == kBinomial) {
    job_sum(job, all, bytes);
  } else {
    if (job->rank != 0) job_send(job, 0, bytes);
    for (int rank = 1; job->rank == 0 && rank < job->ranks; ++rank) job_receive(job, rank, bytes);
    spread(job, algorithm, bytes);
  }
  job_enter(job, before);
}
