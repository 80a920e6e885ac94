// SPDX-License-Identifier: BSD-3-Clause
// lammps [-i STEPS] [binomial|linear [HALO]]: time steps of a LAMMPS-like molecular dynamics run
// with long-range forces on 2^k ranks. Positions go to the six neighbours of a periodic 3D grid,
// one dimension after the other, since corners travel with the later ones; forces come back the
// same way; the charge grid is transposed between pencils, within rows and within columns of a 2D
// grid, for a 3D FFT and its inverse; a few numbers are summed over all ranks. Where an algorithm
// of collectives is named, settings are broadcast and all sums go by it, too; HALO is what a
// neighbour gets, in bytes.
#include <stdlib.h>

#include "collectives.h"
#include "grid.h"

enum {
  kHalo = 40000,
  kGridPoints = 64 * 64 * 64,
  kComplex = 16,
  kThermo = 48,
  kSettings = 2048,
  kCollectives = 4  // of either kind, in a step
};

static void swap(struct Job* job, const struct Grid* grid, int dimension, size_t halo) {
  if (grid->extent[dimension] == 1) return;
  const int low = neighbour(grid, dimension, -1);
  const int high = neighbour(grid, dimension, 1);
  // Later dimensions carry what came in by the earlier ones, too.
  const size_t bytes = halo + (size_t)dimension * halo / 8;
  job_exchange(job, low, bytes, high, bytes);
  job_exchange(job, high, bytes, low, bytes);
}

int main(int argc, char** argv) {
  struct Job job;
  job_begin(&job, &argc, &argv, 3);
  job_require(&job, job.ranks > 1 && (job.ranks & (job.ranks - 1)) == 0,
              "needs 2, 4, 8, 16, ... ranks");
  const struct Grid bricks = make_grid(&job, 3);
  const struct Grid pencils = make_grid(&job, 2);
  const int columns = pencils.extent[1];
  const struct Group row = {pencils.at[0] * columns, 1, columns, pencils.at[1]};
  const struct Group column = {pencils.at[1], columns, pencils.extent[0], pencils.at[0]};
  const int named = argc > 1;
  const enum Algorithm algorithm = algorithm_of(&job, named ? argv[1] : "binomial");
  const size_t halo = argc > 2 ? strtoul(argv[2], NULL, 10) : kHalo;
  const size_t mine = (size_t)kGridPoints * kComplex / job.ranks;
  job_start(&job);
  for (int i = 0; i < job.iterations; ++i) {
    for (int d = 0; d < 3; ++d) swap(&job, &bricks, d, halo);
    job_transpose(&job, row, mine / row.count);
    job_transpose(&job, column, mine / column.count);
    job_transpose(&job, column, mine / column.count);
    job_transpose(&job, row, mine / row.count);
    for (int d = 2; d >= 0; --d) swap(&job, &bricks, d, halo);
    for (int c = 0; named && c < kCollectives; ++c) broadcast(&job, algorithm, kSettings);
    for (int c = 0; c < (named ? kCollectives : 1); ++c) sum_over_all(&job, algorithm, kThermo);
  }
  return job_end(&job);
}
