// SPDX-License-Identifier: BSD-3-Clause
// is [-i ITERATIONS]: the small messages of NAS Parallel Benchmark IS on 2^k ranks: everybody tells
// everybody how many keys will come, and the sizes of the buckets are summed, an integer at a time.
// The keys themselves are left out: these messages are what profiles of IS that were published
// hold.
#include "collectives.h"

enum { kInteger = 4 };

int main(int argc, char** argv) {
  struct Job job;
  job_begin(&job, &argc, &argv, 10);
  job_require(&job, job.ranks > 1 && (job.ranks & (job.ranks - 1)) == 0,
              "needs 2, 4, 8, 16, ... ranks");
  const struct Group all = {0, 1, job.ranks, job.rank};
  job_start(&job);
  for (int i = 0; i < job.iterations; ++i) {
    sum_over_all(&job, kBinomial, kInteger);
    job_transpose(&job, all, kInteger);
  }
  return job_end(&job);
}
