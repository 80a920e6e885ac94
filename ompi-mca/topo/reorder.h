// SPDX-License-Identifier: BSD-3-Clause
// Which process of a communicator is which node of the graph that the program has declared:
// processes are where they are, so this is a permutation of their ranks. Knows nothing of Open MPI.
// No C++ exception leaves it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// An edge of the declared graph.
typedef struct {
  int from, to, weight;
} tofa_edge;

typedef struct {
  const char* const* hosts;  // of each process, in the order of their ranks
  int processes;
  int nodes;  // of the declared graph, at most one per process
  const tofa_edge* edges;
  size_t edge_count;
  const char* topology;    // file; NULL or empty: the usual one
  const char* effort;      // as elsewhere; NULL or empty: the default
  const char* time_limit;  // seconds, likewise
  // Where the component was loaded from, to find tofa-query; may be NULL.
  const char* component_dir;
} tofa_reorder_task;

// Finds new_rank_of[process], for `processes` of them, so that the bytes that the graph's weights
// stand for travel over no more links, and take at least a tenth less time, as predicted.
// Processes beyond the nodes of the graph get the ranks behind them. False: ranks stay, since
// nothing is gained or something is not as it should be. Either way `told` says what was done and
// why, in one line.
bool tofa_reorder(const tofa_reorder_task* task, int* new_rank_of, char* told, size_t told_size);

#ifdef __cplusplus
}
#endif
