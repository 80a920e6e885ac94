// SPDX-License-Identifier: BSD-3-Clause
// hpl [-i PANELS]: what High-Performance Linpack sends on a 2D grid of ranks, row by row. Each
// panel of columns is factored by one column of ranks, which agree on every pivot; travels along
// the rows in a ring that starts there (HPL's increasing ring); and then the rows that pivoting
// exchanged, and the part of the matrix to the right of the panel, are spread over every column of
// ranks by pairwise exchange.
#include "grid.h"

enum { kOrder = 10240, kPanel = 32, kDouble = 8 };

int main(int argc, char** argv) {
  struct Job job;
  job_begin(&job, &argc, &argv, 24);
  const struct Grid grid = make_grid(&job, 2);
  // HPL wants at most as many rows as columns.
  const int rows = grid.extent[1];
  const int columns = grid.extent[0];
  job_require(&job, (rows & (rows - 1)) == 0, "the ranks must make a grid with 2^k rows");
  const int my_row = job.rank / columns;
  const int my_column = job.rank % columns;
  const struct Group column = {my_column, columns, rows, my_row};
  job_start(&job);
  for (int panel = 0; panel < job.iterations; ++panel) {
    const size_t order = kOrder - (size_t)panel * kPanel;
    const size_t panel_bytes = order / rows * kPanel * kDouble;
    const size_t pivot_bytes = order / columns * kPanel * kDouble;
    const int owner = panel % columns;
    const int next = my_row * columns + (my_column + 1) % columns;
    const int previous = my_row * columns + (my_column + columns - 1) % columns;
    if (my_column == owner) {
      for (int pivot = 0; pivot < kPanel; ++pivot) job_sum(&job, column, 2 * kPanel * kDouble);
    } else {
      job_receive(&job, previous, panel_bytes);
    }
    if (columns > 1 && (my_column + 1) % columns != owner) job_send(&job, next, panel_bytes);
    job_sum(&job, column, pivot_bytes);
  }
  return job_end(&job);
}
