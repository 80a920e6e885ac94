// SPDX-License-Identifier: BSD-3-Clause
// Who neighbours whom in what MPI_Cart_create and MPI_Graph_create are told. Knows nothing of Open
// MPI.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "reorder.h"

#ifdef __cplusplus
extern "C" {
#endif

// A grid; the last dimension counts fastest, as MPI has it.
struct cart {
  int dimensions;
  const int* extents;
  const int* periodic;  // by dimension
};

// Processes in the grid; -1 where extents are no positive numbers, or their product is no int.
int cart_size(const struct cart* cart);

// The partners of a rank in MPI_Neighbor_alltoall's order, without itself and beyond the border; at
// most two per dimension. A partner on both sides is there twice. Returns their number.
int cart_neighbours(const struct cart* cart, int rank, int* neighbours);

// All edges of weight 1, for the caller to free, and how many; NULL: no memory.
tofa_edge* cart_edges(const struct cart* cart, size_t* count);

// The same of what MPI_Graph_create takes: index[i] is the number of neighbours of nodes 0 to i.
tofa_edge* graph_edges(int nodes, const int* index, const int* neighbours, size_t* count);

#ifdef __cplusplus
}
#endif
