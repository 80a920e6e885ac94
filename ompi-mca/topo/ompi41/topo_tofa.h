// SPDX-License-Identifier: BSD-3-Clause
// What the files of the component share: its parameters, what it knows of what programs have
// declared, and the four calls.
#pragma once

#include <ompi_config.h>

#include <ompi/mca/topo/base/base.h>
#include <ompi/mca/topo/topo.h>
#include <stdbool.h>

#include "../neighbours.h"
#include "../reorder.h"

struct topo_parameters {
  bool reorder;
  bool verbose;
  int ask, wait;  // seconds
  int max_edges;  // of a graph that is gathered
  char* topology;
  char* launchers_topology;  // what mpirun's mapper was given
  char* effort;
  char* time_limit;
};

extern struct topo_parameters topo_parameters;

// --- agree.c: what all processes of a communicator decide together ---

// A graph to be reordered for: the whole of it on every process that computes, or parts of it.
struct agreement {
  const char* call;  // for people
  ompi_communicator_t* comm;
  int nodes;
  tofa_edge* edges;  // taken over; all of them on rank 0, or, if scattered, some on each process
  size_t edge_count;
  bool scattered;
  bool good;  // false: this process cannot take part in reordering
};

// Collective. On success *new_ranks has the new rank of each process, for the caller to free; NULL:
// ranks stay. All processes get the same. Anything else than OMPI_SUCCESS: communication failed.
int agree_on_ranks(struct agreement* agreement, int** new_ranks);

// --- exchange.c: neighbour lists follow their rank ---

// The neighbours of one rank, as MPI_Dist_graph_create_adjacent takes them.
struct neighbour_lists {
  int indegree, outdegree;
  const int *in, *out;
  const int *in_weights, *out_weights;  // NULL: none were given
};

// Collective over `comm`, whose ranks are the new ones: hands the lists of this process's old rank
// on and gets those of its new one, for release_lists, also after an error. *done is false on all
// processes where one has no memory for that.
int exchange_lists(ompi_communicator_t* comm, const int* new_ranks, int old_rank,
                   const struct neighbour_lists* own, struct neighbour_lists* others, bool* done);
void release_lists(struct neighbour_lists* lists);

// --- component.c ---

// Whether others have been told that this process has the component.
bool component_announced(void);

// The module that Open MPI would use without this component.
int component_look_past(const ompi_communicator_t* comm, mca_topo_base_module_t** module,
                        uint32_t type);

// --- record.c ---

// Tells whoever wants to hear of it that the node of a graph that is this process's rank in the
// communicator of the call has these neighbours, whether ranks are reordered or not; `weights` may
// be NULL.
void record_edges(const ompi_communicator_t* comm, int degree, const int* targets,
                  const int* weights);
void record_cart(const ompi_communicator_t* comm, const struct cart* cart);
void record_graph(const ompi_communicator_t* comm, int nodes, const int* index, const int* edges);

// --- create.c ---

// The calls of a module of this type.
void create_fill_in(mca_topo_base_module_t* module);
