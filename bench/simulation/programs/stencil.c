// SPDX-License-Identifier: BSD-3-Clause
// stencil 2|3 [-i ITERATIONS]: halo exchange on a periodic 2D or 3D grid of ranks, all neighbours
// at once.
#include <stdlib.h>

#include "grid.h"

enum { kHalo = 100000 };

int main(int argc, char** argv) {
  struct Job job;
  job_begin(&job, &argc, &argv, 10);
  const int dimensions = argc > 1 ? atoi(argv[1]) : 0;
  job_require(&job, dimensions == 2 || dimensions == 3, "call it as stencil 2|3");
  const struct Grid grid = make_grid(&job, dimensions);
  job_start(&job);
  for (int i = 0; i < job.iterations; ++i) {
    for (int d = 0; d < dimensions; ++d) {
      for (int step = -1; step <= 1; step += 2) {
        if (grid.extent[d] == 1) continue;
        job_start_receive(&job, neighbour(&grid, d, step), kHalo);
        job_start_send(&job, neighbour(&grid, d, step), kHalo);
      }
    }
    job_wait_all(&job);
  }
  return job_end(&job);
}
