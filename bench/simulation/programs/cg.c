// SPDX-License-Identifier: BSD-3-Clause
// cg [-i ITERATIONS] [B|C|D]: the conjugate gradient iterations of NAS Parallel Benchmark CG, class
// C unless another is named, on 2^k ranks. Ranks form a grid of rows and columns (as many, or twice
// as many columns). An iteration sums the product over each row in pairwise exchanges, swaps the
// result with the transposed rank and sums two numbers over the row. See setup_proc_info,
// setup_submatrix_info and conj_grad in cg.f.
#include "job.h"

enum { kDouble = 8 };

struct Grid {
  int rows, columns;
  int row, column;
};

// Of the matrix.
static int order_of(struct Job* job, char class) {
  job_require(job, class >= 'B' && class <= 'D', "the class must be B, C or D");
  return class == 'B' ? 75000 : class == 'C' ? 150000 : 1500000;
}

static struct Grid make_grid(const struct Job* job) {
  struct Grid grid = {1, 1, 0, 0};
  for (int ranks = 1; ranks < job->ranks; ranks *= 2) {
    if (grid.columns == grid.rows) {
      grid.columns *= 2;
    } else {
      grid.rows *= 2;
    }
  }
  grid.row = job->rank / grid.columns;
  grid.column = job->rank % grid.columns;
  return grid;
}

// The partners of a row's sum, from the far half of the row to the neighbour.
static int row_partner(const struct Grid* grid, int division) {
  const int block = grid->column / division * division;
  return grid->row * grid->columns + (grid->column + division / 2) % division + block;
}

static int transposed_rank(const struct Grid* grid, int rank) {
  if (grid->rows == grid->columns) return rank % grid->rows * grid->rows + rank / grid->rows;
  return 2 * (rank / 2 % grid->rows * grid->rows + rank / 2 / grid->rows) + rank % 2;
}

static void sum_over_row(struct Job* job, const struct Grid* grid, size_t bytes) {
  for (int division = 2; division <= grid->columns; division *= 2) {
    const int partner = row_partner(grid, division);
    job_exchange(job, partner, bytes, partner, bytes);
  }
}

int main(int argc, char** argv) {
  struct Job job;
  job_begin(&job, &argc, &argv, 10);
  job_require(&job, job.ranks > 1 && (job.ranks & (job.ranks - 1)) == 0,
              "needs 2, 4, 8, 16, ... ranks");
  const struct Grid grid = make_grid(&job);
  // A rank owns `piece` numbers of the result of its row.
  const int order = order_of(&job, argc > 1 ? argv[1][0] : 'C');
  const size_t piece = (size_t)order / grid.columns * kDouble;
  const int transposed = transposed_rank(&grid, job.rank);
  job_start(&job);
  for (int i = 0; i < job.iterations; ++i) {
    sum_over_row(&job, &grid, piece);
    if (transposed != job.rank) job_exchange(&job, transposed, piece, transposed, piece);
    sum_over_row(&job, &grid, kDouble);
    sum_over_row(&job, &grid, kDouble);
  }
  return job_end(&job);
}
