// SPDX-License-Identifier: BSD-3-Clause
// broadcast binomial|linear: one broadcast of four bytes from rank 0, to see who sends to whom.
#include "collectives.h"

enum { kInteger = 4 };

int main(int argc, char** argv) {
  struct Job job;
  job_begin(&job, &argc, &argv, 1);
  const enum Algorithm algorithm = algorithm_of(&job, argc > 1 ? argv[1] : "");
  job_start(&job);
  for (int i = 0; i < job.iterations; ++i) broadcast(&job, algorithm, kInteger);
  return job_end(&job);
}
