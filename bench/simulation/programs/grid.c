// SPDX-License-Identifier: BSD-3-Clause
// Process grids: see grid.h.
#include "grid.h"

struct Grid make_grid(const struct Job* job, int dimensions) {
  struct Grid grid = {dimensions, {0, 0, 0}, {0, 0, 0}};
  MPI_Dims_create(job->ranks, dimensions, grid.extent);
  int rest = job->rank;
  for (int d = dimensions - 1; d >= 0; --d) {
    grid.at[d] = rest % grid.extent[d];
    rest /= grid.extent[d];
  }
  return grid;
}

int neighbour(const struct Grid* grid, int dimension, int step) {
  int rank = 0;
  for (int d = 0; d < grid->dimensions; ++d) {
    const int extent = grid->extent[d];
    const int at = d == dimension ? (grid->at[d] + step + extent) % extent : grid->at[d];
    rank = rank * extent + at;
  }
  return rank;
}
