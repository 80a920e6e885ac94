// SPDX-License-Identifier: BSD-3-Clause
// See neighbours.h.
#include "neighbours.h"

#include <limits.h>
#include <stdlib.h>

int cart_size(const struct cart* cart) {
  long long size = 1;
  for (int d = 0; d < cart->dimensions; ++d) {
    if (cart->extents[d] <= 0) return -1;
    size *= cart->extents[d];
    if (size > INT_MAX) return -1;
  }
  return (int)size;
}

int cart_neighbours(const struct cart* cart, int rank, int* neighbours) {
  int count = 0, stride = cart_size(cart);
  for (int d = 0; d < cart->dimensions; ++d) {
    int extent = cart->extents[d];
    stride /= extent;
    int at = rank / stride % extent;
    for (int side = -1; side <= 1; side += 2) {
      int there = at + side;
      bool beyond = there < 0 || there == extent;
      if (extent == 1 || (beyond && !cart->periodic[d])) continue;
      if (beyond) there -= side * extent;
      neighbours[count++] = rank + (there - at) * stride;
    }
  }
  return count;
}

tofa_edge* cart_edges(const struct cart* cart, size_t* count) {
  size_t most = 2 * (size_t)cart->dimensions;
  int size = cart_size(cart);
  int* neighbours = malloc((most + 1) * sizeof *neighbours);
  tofa_edge* edges = malloc(((size_t)size * most + 1) * sizeof *edges);
  *count = 0;
  for (int rank = 0; rank < size && neighbours != NULL && edges != NULL; ++rank) {
    int partners = cart_neighbours(cart, rank, neighbours);
    for (int i = 0; i < partners; ++i) edges[(*count)++] = (tofa_edge){rank, neighbours[i], 1};
  }
  if (neighbours == NULL) {
    free(edges);
    edges = NULL;
  }
  free(neighbours);
  return edges;
}

tofa_edge* graph_edges(int nodes, const int* index, const int* neighbours, size_t* count) {
  size_t all = nodes > 0 && index[nodes - 1] > 0 ? (size_t)index[nodes - 1] : 0;
  tofa_edge* edges = malloc((all + 1) * sizeof *edges);
  *count = 0;
  if (edges == NULL) return NULL;
  for (int node = 0; node < nodes; ++node) {
    for (size_t i = *count; i < all && (long long)i < index[node]; ++i) {
      edges[(*count)++] = (tofa_edge){node, neighbours[i], 1};
    }
  }
  return edges;
}
