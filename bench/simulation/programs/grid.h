// SPDX-License-Identifier: BSD-3-Clause
// Process grids of 2 or 3 dimensions, periodic, as equal-sided as the number of ranks allows; the
// last dimension varies fastest, as in MPI_Cart_create.
#pragma once

#include "job.h"

struct Grid {
  int dimensions;
  int extent[3];
  int at[3];
};

struct Grid make_grid(const struct Job* job, int dimensions);
// The rank `step` (1 or -1) away in a dimension.
int neighbour(const struct Grid* grid, int dimension, int step);
