// SPDX-License-Identifier: BSD-3-Clause
// neighbours [-i ITERATIONS] GRAPH: every rank exchanges with all its neighbours in a graph at
// once, as MPI_Neighbor_alltoallv does. GRAPH is a Matrix Market file of bytes.
#include <stdio.h>
#include <stdlib.h>

#include "job.h"

struct Partner {
  int rank;
  size_t bytes;
};

// The entries with this rank in `column`, 0 for its row and 1 for its column; -1: not readable.
static int read_partners(const char* path, int rank, int column, struct Partner* partners,
                         int most) {
  char line[256];
  int count = 0, entries = -1;
  FILE* file = fopen(path, "r");
  if (file == NULL) return -1;
  while (fgets(line, sizeof line, file) != NULL && count < most) {
    unsigned long long numbers[3];
    char* next = line;
    if (line[0] == '%' || entries++ < 0) continue;  // comments and the sizes
    for (int i = 0; i < 3; ++i) numbers[i] = strtoull(next, &next, 10);
    if (numbers[column] != (unsigned long long)rank + 1) continue;
    partners[count++] = (struct Partner){(int)numbers[1 - column] - 1, numbers[2]};
  }
  fclose(file);
  return count;
}

int main(int argc, char** argv) {
  enum { MOST = 60 };
  struct Job job;
  struct Partner to[MOST], from[MOST];
  job_begin(&job, &argc, &argv, 4);
  job_require(&job, argc == 2, "call it as neighbours GRAPH");
  const int sends = read_partners(argv[1], job.rank, 0, to, MOST);
  const int receives = read_partners(argv[1], job.rank, 1, from, MOST);
  job_require(&job, sends >= 0 && receives >= 0, "the graph cannot be read");
  job_require(&job, sends < MOST && receives < MOST, "a rank has too many neighbours");
  job_start(&job);
  for (int i = 0; i < job.iterations; ++i) {
    for (int k = 0; k < receives; ++k) job_start_receive(&job, from[k].rank, from[k].bytes);
    for (int k = 0; k < sends; ++k) job_start_send(&job, to[k].rank, to[k].bytes);
    job_wait_all(&job);
  }
  return job_end(&job);
}
