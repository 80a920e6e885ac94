// SPDX-License-Identifier: BSD-3-Clause
// The four calls. Where all processes reorder, a communicator with the same processes in the new
// order takes the old one's place, and Open MPI's own functions do the rest with it: a topology
// without reordering. Where not, the program gets what it would get without us.
#include <ompi/constants.h>
#include <stdlib.h>

#include "consult.h"
#include "peers.h"
#include "topo_tofa.h"

typedef mca_topo_base_module_t module_t;
typedef struct neighbour_lists lists_t;

// Where no other component is to be had: one that does no more than Open MPI's own functions. NULL:
// no memory.
static module_t* plain_module(const module_t* module) {
  // Zeroed, and so not OBJ_NEW: the constructor leaves most of it as it was.
  module_t* made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  OBJ_CONSTRUCT(made, mca_topo_base_module_t);
  made->type = module->type;
  made->topo = module->topo;
  if (module->type == OMPI_COMM_CART) {
    made->topo.cart.cart_create = mca_topo_base_cart_create;
  } else if (module->type == OMPI_COMM_GRAPH) {
    made->topo.graph.graph_create = mca_topo_base_graph_create;
  } else {
    made->topo.dist_graph.dist_graph_create = mca_topo_base_dist_graph_create;
    made->topo.dist_graph.dist_graph_create_adjacent = mca_topo_base_dist_graph_create_adjacent;
  }
  return made;
}

// A call on a module of ours. The communicator that it creates gets the module that Open MPI would
// have called without us, whether ranks are reordered or not.
struct creation {
  module_t *ours, *stock;  // the latter NULL: no memory
  struct consultation consultation;
  bool all;  // processes reorder
};

// `wanted` is the same on all processes, by what MPI asks of programs.
static int begin(struct creation* creation, const char* call, module_t* module,
                 ompi_communicator_t* comm, bool wanted) {
  *creation = (struct creation){.ours = module};
  int rc = component_look_past(comm, &creation->stock, module->type);
  if (rc != OMPI_SUCCESS) {
    creation->stock = rc != OMPI_ERR_OUT_OF_RESOURCE ? plain_module(module) : NULL;
    rc = creation->stock != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
  }
  if (rc != OMPI_SUCCESS || !component_announced()) return rc;
  bool ready = wanted && peers_are_apart(comm);
  return consult_all(call, comm, ready, &creation->consultation, &creation->all);
}

enum owner { OWNER_CALLER, OWNER_CALLEE, OWNER_US };

// Who releases our module, and the other one, after a call that has failed, differs from call to
// call in Open MPI.
static int end(struct creation* creation, int rc, enum owner ours, enum owner stock) {
  consult_end(&creation->consultation);
  bool failed = rc != OMPI_SUCCESS;
  if (!failed || ours == OWNER_US) OBJ_RELEASE(creation->ours);
  if (failed && stock == OWNER_US && creation->stock != NULL) OBJ_RELEASE(creation->stock);
  return rc;
}

// *mid is the communicator to go on with: `comm` itself, or one in the new order. *new_ranks as in
// agree_on_ranks.
static int reorder_ranks(struct agreement* agreement, int** new_ranks, ompi_communicator_t** mid) {
  ompi_communicator_t* comm = agreement->comm;
  *mid = comm;
  int rc = agree_on_ranks(agreement, new_ranks);
  if (rc != OMPI_SUCCESS || *new_ranks == NULL) return rc;
  return ompi_comm_split(comm, 0, (*new_ranks)[ompi_comm_rank(comm)], mid, false);
}

static void done_with(ompi_communicator_t* mid, const ompi_communicator_t* comm) {
  if (mid != comm && mid != NULL && mid != MPI_COMM_NULL) ompi_comm_free(&mid);
}

static bool is_root(const ompi_communicator_t* comm) {
  return ompi_comm_rank((ompi_communicator_t*)comm) == 0;
}

// For topologies that all processes know: only rank 0 makes the edges. There, NULL: no memory.
static int reorder_known(const char* call, ompi_communicator_t* comm, int nodes, tofa_edge* edges,
                         size_t edge_count, ompi_communicator_t** mid) {
  struct agreement agreement = {.call = call,
                                .comm = comm,
                                .nodes = nodes,
                                .edges = edges,
                                .edge_count = edge_count,
                                .good = edges != NULL || !is_root(comm)};
  int* new_ranks = NULL;
  int rc = reorder_ranks(&agreement, &new_ranks, mid);
  free(new_ranks);
  return rc;
}

static int reordered_cart(module_t* module, ompi_communicator_t* comm, const struct cart* cart,
                          ompi_communicator_t** created) {
  size_t count = 0;
  tofa_edge* edges = is_root(comm) ? cart_edges(cart, &count) : NULL;
  ompi_communicator_t* mid = NULL;
  int rc = reorder_known("MPI_Cart_create", comm, cart_size(cart), edges, count, &mid);
  if (rc == OMPI_SUCCESS) {
    rc = mca_topo_base_cart_create(module, mid, cart->dimensions, cart->extents, cart->periodic,
                                   true, created);
  }
  done_with(mid, comm);
  return rc;
}

static int cart_create(module_t* module, ompi_communicator_t* comm, int ndims, const int* dims,
                       const int* periods, bool reorder, ompi_communicator_t** created) {
  struct cart cart = {.dimensions = ndims, .extents = dims, .periodic = periods};
  int size = cart_size(&cart), rc;
  bool possible = ndims > 0 && size > 0 && size <= ompi_comm_size(comm);
  struct creation creation;
  rc = begin(&creation, "MPI_Cart_create", module, comm, reorder && possible);
  module_t* stock = creation.stock;
  if (rc == OMPI_SUCCESS && creation.all) {
    rc = reordered_cart(stock, comm, &cart, created);
  } else if (rc == OMPI_SUCCESS) {
    rc = stock->topo.cart.cart_create(stock, comm, ndims, dims, periods, reorder, created);
  }
  rc = end(&creation, rc, OWNER_CALLER, OWNER_US);
  if (rc == OMPI_SUCCESS && possible) record_cart(comm, &cart);
  return rc;
}

static int reordered_graph(module_t* module, ompi_communicator_t* comm, int nnodes,
                           const int* index, const int* edges, ompi_communicator_t** created) {
  size_t count = 0;
  tofa_edge* known = is_root(comm) ? graph_edges(nnodes, index, edges, &count) : NULL;
  ompi_communicator_t* mid = NULL;
  int rc = reorder_known("MPI_Graph_create", comm, nnodes, known, count, &mid);
  if (rc == OMPI_SUCCESS) {
    rc = mca_topo_base_graph_create(module, mid, nnodes, index, edges, true, created);
  }
  done_with(mid, comm);
  return rc;
}

static int graph_create(module_t* module, ompi_communicator_t* comm, int nnodes, const int* index,
                        const int* edges, bool reorder, ompi_communicator_t** created) {
  bool possible = nnodes > 0 && nnodes <= ompi_comm_size(comm);
  struct creation creation;
  int rc = begin(&creation, "MPI_Graph_create", module, comm, reorder && possible);
  module_t* stock = creation.stock;
  if (rc == OMPI_SUCCESS && creation.all) {
    rc = reordered_graph(stock, comm, nnodes, index, edges, created);
  } else if (rc == OMPI_SUCCESS) {
    rc = stock->topo.graph.graph_create(stock, comm, nnodes, index, edges, reorder, created);
  }
  rc = end(&creation, rc, OWNER_CALLER, OWNER_US);
  if (rc == OMPI_SUCCESS && possible) record_graph(comm, nnodes, index, edges);
  return rc;
}

// What goes out from this rank; NULL: no memory.
static tofa_edge* out_edges(int rank, const lists_t* lists) {
  tofa_edge* edges = malloc(((size_t)lists->outdegree + 1) * sizeof *edges);
  for (int i = 0; edges != NULL && i < lists->outdegree; ++i) {
    int weight = lists->out_weights != NULL ? lists->out_weights[i] : 1;
    edges[i] = (tofa_edge){rank, lists->out[i], weight};
  }
  return edges;
}

// What Open MPI wants for no list, and for an empty one.
static const int* weights_of(const int* weights, int degree) {
  if (weights == NULL) return MPI_UNWEIGHTED;
  return degree > 0 ? weights : MPI_WEIGHTS_EMPTY;
}

static int attach(module_t* module, ompi_communicator_t* comm, const lists_t* lists,
                  opal_info_t* info, ompi_communicator_t** created) {
  return mca_topo_base_dist_graph_create_adjacent(
      module, comm, lists->indegree, lists->in, weights_of(lists->in_weights, lists->indegree),
      lists->outdegree, lists->out, weights_of(lists->out_weights, lists->outdegree), info, true,
      created);
}

// Creates the graph in which `lists` has the neighbours of this process's rank.
static int reorder_lists(module_t* module, const char* call, ompi_communicator_t* comm,
                         const lists_t* lists, opal_info_t* info, ompi_communicator_t** created) {
  int rank = ompi_comm_rank(comm);
  struct agreement agreement = {.call = call,
                                .comm = comm,
                                .nodes = ompi_comm_size(comm),
                                .edges = out_edges(rank, lists),
                                .edge_count = (size_t)lists->outdegree,
                                .scattered = true};
  agreement.good = agreement.edges != NULL;
  ompi_communicator_t* mid = NULL;
  int* new_ranks = NULL;
  lists_t others = {0};
  int rc = reorder_ranks(&agreement, &new_ranks, &mid);
  bool moved = false;
  if (rc == OMPI_SUCCESS && new_ranks != NULL) {
    rc = exchange_lists(mid, new_ranks, rank, lists, &others, &moved);
  }
  if (moved) {
    lists = &others;
  } else {
    done_with(mid, comm);
    mid = comm;
  }
  if (rc == OMPI_SUCCESS) rc = attach(module, mid, lists, info, created);
  release_lists(&others);
  free(new_ranks);
  done_with(mid, comm);
  return rc;
}

// Each process gets the edges of its rank. Open MPI's function takes messages from anybody, with
// tags that nonblocking collectives have, too: that is for a communicator that has none.
static int distribute(module_t* module, ompi_communicator_t* comm, int n, const int nodes[],
                      const int degrees[], const int targets[], const int weights[],
                      mca_topo_base_comm_dist_graph_2_2_0_t** own) {
  ompi_communicator_t* mid = NULL;
  int rc = ompi_comm_split(comm, 0, ompi_comm_rank(comm), &mid, false);
  if (rc != OMPI_SUCCESS) return rc;
  rc = mca_topo_base_dist_graph_distribute(module, mid, n, nodes, degrees, targets, weights, own);
  done_with(mid, comm);
  return rc;
}

static int reordered_dist_graph(module_t* module, ompi_communicator_t* comm, int n,
                                const int nodes[], const int degrees[], const int targets[],
                                const int weights[], opal_info_t* info,
                                ompi_communicator_t** created) {
  mca_topo_base_comm_dist_graph_2_2_0_t* own = NULL;
  int rc = distribute(module, comm, n, nodes, degrees, targets, weights, &own);
  if (rc != OMPI_SUCCESS) return rc;
  static const int none;  // what a list of weights without any points to
  lists_t lists = {own->indegree, own->outdegree, own->in, own->out, NULL, NULL};
  if (own->weighted) {
    lists.in_weights = own->inw != NULL ? own->inw : &none;
    lists.out_weights = own->outw != NULL ? own->outw : &none;
  }
  rc = reorder_lists(module, "MPI_Dist_graph_create", comm, &lists, info, created);
  if (rc == OMPI_SUCCESS) record_edges(comm, own->outdegree, own->out, own->outw);
  OBJ_RELEASE(own);
  return rc;
}

// The edges that Open MPI has found for this process, whose rank it may have changed.
static void record_created(const ompi_communicator_t* created) {
  const mca_topo_base_comm_dist_graph_2_2_0_t* own = created->c_topo->mtc.dist_graph;
  record_edges(created, own->outdegree, own->out, own->outw);
}

static int dist_graph_create(module_t* module, ompi_communicator_t* comm, int n, const int nodes[],
                             const int degrees[], const int targets[], const int weights[],
                             opal_info_t* info, int reorder, ompi_communicator_t** created) {
  struct creation creation;
  int rc = begin(&creation, "MPI_Dist_graph_create", module, comm, reorder);
  module_t* stock = creation.stock;
  bool called = rc == OMPI_SUCCESS && !creation.all;
  if (called) {
    rc = stock->topo.dist_graph.dist_graph_create(stock, comm, n, nodes, degrees, targets, weights,
                                                  info, reorder, created);
    if (rc == OMPI_SUCCESS) record_created(*created);
  } else if (rc == OMPI_SUCCESS) {
    rc = reordered_dist_graph(stock, comm, n, nodes, degrees, targets, weights, info, created);
  }
  return end(&creation, rc, OWNER_US, called ? OWNER_CALLEE : OWNER_US);
}

static int dist_graph_create_adjacent(module_t* module, ompi_communicator_t* comm, int indegree,
                                      const int sources[], const int in_weights[], int outdegree,
                                      const int destinations[], const int out_weights[],
                                      opal_info_t* info, int reorder,
                                      ompi_communicator_t** created) {
  static const char call[] = "MPI_Dist_graph_create_adjacent";
  struct creation creation;
  int rc = begin(&creation, call, module, comm, reorder);
  module_t* stock = creation.stock;
  enum owner owner = OWNER_US;
  if (rc == OMPI_SUCCESS && creation.all) {
    lists_t lists = {indegree,
                     outdegree,
                     sources,
                     destinations,
                     in_weights != MPI_UNWEIGHTED ? in_weights : NULL,
                     out_weights != MPI_UNWEIGHTED ? out_weights : NULL};
    rc = reorder_lists(stock, call, comm, &lists, info, created);
  } else if (rc == OMPI_SUCCESS) {
    mca_topo_base_module_dist_graph_create_adjacent_fn_t create =
        stock->topo.dist_graph.dist_graph_create_adjacent;
    if (create != mca_topo_base_dist_graph_create_adjacent) owner = OWNER_CALLEE;
    rc = create(stock, comm, indegree, sources, in_weights, outdegree, destinations, out_weights,
                info, reorder, created);
  }
  rc = end(&creation, rc, OWNER_US, owner);
  if (rc == OMPI_SUCCESS) {
    record_edges(comm, outdegree, destinations, out_weights != MPI_UNWEIGHTED ? out_weights : NULL);
  }
  return rc;
}

void create_fill_in(module_t* module) {
  if (module->type == OMPI_COMM_CART) module->topo.cart.cart_create = cart_create;
  if (module->type == OMPI_COMM_GRAPH) module->topo.graph.graph_create = graph_create;
  if (module->type == OMPI_COMM_DIST_GRAPH) {
    module->topo.dist_graph.dist_graph_create = dist_graph_create;
    module->topo.dist_graph.dist_graph_create_adjacent = dist_graph_create_adjacent;
  }
}
