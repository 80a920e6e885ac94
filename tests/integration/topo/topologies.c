// SPDX-License-Identifier: BSD-3-Clause
// topologies CALL REORDER[,REORDER...] [DIMS]: creates a topology by one of the four calls, once
// for each REORDER, checks every rank's neighbours and that messages reach them, and prints a line
// `RANK HOST` for each rank of the last result. REORDER is what processes pass: 0, 1, +R (1 on rank
// R only), -R (1 on all others). CALL is cart (of DIMS, as 4x3; periodic where an extent ends in
// p), graph, dist, adjacent, unweighted (adjacent without weights), uneven (adjacent, and half of
// the ranks have no neighbours), chain (a graph's communicator made into a grid) or local (cart,
// after a grid of each host). Ends with 1 when anything is not as MPI has it.
#define _GNU_SOURCE  // gethostname
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8, NEAR = 1, FAR = 100 };

static int rank, size;
static bool reorder;

static void require(bool good, const char* what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s is not as it must be\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// The graph of all but grids: node i has a heavy edge to the one half of the nodes further, and a
// light one to the next.
static int targets_of(int node, int* targets, int* weights) {
  targets[0] = (node + size / 2) % size;
  weights[0] = FAR;
  targets[1] = (node + 1) % size;
  weights[1] = NEAR;
  return 2;
}

static int sources_of(int node, int* sources, int* weights) {
  sources[0] = (node - 1 + size) % size;
  weights[0] = NEAR;
  sources[1] = (node - size / 2 + size) % size;
  weights[1] = FAR;
  return 2;
}

static void print_host(MPI_Comm comm) {
  char host[256] = "";
  MPI_Comm_rank(comm, &rank);
  gethostname(host, sizeof host - 1);
  printf("%d %s\n", rank, host);
}

// What the neighbours send arrives, and is theirs.
static void exchange(MPI_Comm comm, const int* sources, int count) {
  int received[MOST];
  MPI_Comm_rank(comm, &rank);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, received, 1, MPI_INT, comm);
  for (int i = 0; i < count; ++i) {
    require(sources[i] == MPI_PROC_NULL || received[i] == sources[i], "what a neighbour sent");
  }
}

static int parse(char* text, int* dims, int* periods) {
  int count = 0;
  for (char* part = strtok(text, "x"); part != NULL; part = strtok(NULL, "x"), ++count) {
    dims[count] = atoi(part);
    periods[count] = strchr(part, 'p') != NULL;
  }
  return count;
}

static MPI_Comm make_cart(MPI_Comm from, char* text) {
  int dims[MOST], periods[MOST], coordinates[MOST], sources[MOST];
  MPI_Comm comm;
  int dimensions = parse(text, dims, periods);
  int nodes = 1;
  for (int d = 0; d < dimensions; ++d) nodes *= dims[d];
  MPI_Cart_create(from, dimensions, dims, periods, reorder, &comm);
  int in = comm != MPI_COMM_NULL, all = 0;
  MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  require(all == nodes, "the number of processes in the grid");
  if (comm == MPI_COMM_NULL) return comm;
  MPI_Comm_rank(comm, &rank);
  MPI_Cart_coords(comm, rank, dimensions, coordinates);
  int expected = 0, found = -1;
  for (int d = 0; d < dimensions; ++d) expected = expected * dims[d] + coordinates[d];
  MPI_Cart_rank(comm, coordinates, &found);
  require(expected == rank && found == rank, "a rank's place in the grid");
  for (int d = 0; d < dimensions; ++d) {
    MPI_Cart_shift(comm, d, 1, sources + d + d, sources + d + d + 1);
  }
  exchange(comm, sources, 2 * dimensions);
  return comm;
}

static MPI_Comm make_graph(void) {
  int* index = malloc((size_t)size * sizeof *index);
  int* edges = malloc((size_t)size * 4 * sizeof *edges);
  int count = 0, weights[MOST], neighbours[MOST], found = 0;
  MPI_Comm comm;
  for (int node = 0; node < size; ++node) {
    count += targets_of(node, edges + count, weights);
    count += sources_of(node, edges + count, weights);
    index[node] = count;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, reorder, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Graph_neighbors_count(comm, rank, &found);
  require(found == 4, "the number of neighbours");
  MPI_Graph_neighbors(comm, rank, MOST, neighbours);
  const int* expected = edges + 4 * (ptrdiff_t)rank;
  require(memcmp(neighbours, expected, 4 * sizeof *edges) == 0, "the list of neighbours");
  exchange(comm, neighbours, 4);
  free(index);
  free(edges);
  return comm;
}

// Whether the two lists hold the same edges, in the same order or, where MPI leaves that open, any.
static bool same(const int* ranks, const int* weights, const int* other_ranks,
                 const int* other_weights, int count, bool ordered, bool weighted) {
  bool used[MOST] = {false};
  for (int i = 0; i < count; ++i) {
    int found = -1;
    for (int j = 0; j < count && found < 0; ++j) {
      bool equal = ranks[i] == other_ranks[j] && (!weighted || weights[i] == other_weights[j]);
      if (equal && !used[j] && (!ordered || i == j)) found = j;
    }
    if (found < 0) return false;
    used[found] = true;
  }
  return true;
}

static void check_lists(MPI_Comm comm, int in, const int* sources, const int* in_weights, int out,
                        const int* targets, const int* out_weights, bool ordered, bool weighted) {
  int ins = -1, outs = -1, has_weights = -1;
  int found_sources[MOST], found_targets[MOST], found_in[MOST], found_out[MOST];
  MPI_Dist_graph_neighbors_count(comm, &ins, &outs, &has_weights);
  require(ins == in && outs == out, "the number of neighbours");
  require((has_weights != 0) == weighted, "whether there are weights");
  MPI_Dist_graph_neighbors(comm, MOST, found_sources, weighted ? found_in : MPI_UNWEIGHTED, MOST,
                           found_targets, weighted ? found_out : MPI_UNWEIGHTED);
  require(same(sources, in_weights, found_sources, found_in, in, ordered, weighted),
          "the list of sources");
  require(same(targets, out_weights, found_targets, found_out, out, ordered, weighted),
          "the list of targets");
  exchange(comm, found_sources, in);
}

// Each process declares the edges of other nodes than its own.
static MPI_Comm make_dist(void) {
  int node = (rank + 3) % size, targets[MOST], sources[MOST], weights[MOST], in_weights[MOST];
  int degree = targets_of(node, targets, weights);
  MPI_Comm comm;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &node, &degree, targets, weights, MPI_INFO_NULL, reorder,
                        &comm);
  MPI_Comm_rank(comm, &rank);
  int out = targets_of(rank, targets, weights), in = sources_of(rank, sources, in_weights);
  check_lists(comm, in, sources, in_weights, out, targets, weights, false, true);
  return comm;
}

static bool is_idle(int node, bool uneven) {
  return uneven && (node + 1) % 4 < 2;
}

// Uneven: two nodes of four talk to one each and back, with weights of their own, the others to
// none.
static int lists_of(int node, bool uneven, bool outward, int* partners, int* weights) {
  if (!uneven && outward) return targets_of(node, partners, weights);
  if (!uneven) return sources_of(node, partners, weights);
  if (is_idle(node, uneven)) return 0;
  bool first = node % 4 == 1;
  partners[0] = (node + (first ? 5 : size - 5)) % size;
  weights[0] = first == outward ? 5 : 6;
  return 1;
}

static MPI_Comm make_adjacent(bool weighted, bool uneven) {
  int targets[MOST], sources[MOST], weights[MOST], in_weights[MOST];
  int out = lists_of(rank, uneven, true, targets, weights);
  int in = lists_of(rank, uneven, false, sources, in_weights);
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources,
                                 !weighted ? MPI_UNWEIGHTED
                                 : in > 0  ? in_weights
                                           : MPI_WEIGHTS_EMPTY,
                                 out, targets,
                                 !weighted ? MPI_UNWEIGHTED
                                 : out > 0 ? weights
                                           : MPI_WEIGHTS_EMPTY,
                                 MPI_INFO_NULL, reorder, &comm);
  MPI_Comm_rank(comm, &rank);
  out = lists_of(rank, uneven, true, targets, weights);
  in = lists_of(rank, uneven, false, sources, in_weights);
  check_lists(comm, in, sources, in_weights, out, targets, weights, true, weighted);
  return comm;
}

// A grid of the processes of each host.
static void make_local(void) {
  MPI_Comm host, grid;
  int periodic = 1, all;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &all);
  MPI_Cart_create(host, 1, &all, &periodic, reorder, &grid);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&host);
}

static MPI_Comm make(const char* call, char* dims) {
  if (strcmp(call, "cart") == 0) return make_cart(MPI_COMM_WORLD, dims);
  if (strcmp(call, "local") == 0) {
    make_local();
    return make_cart(MPI_COMM_WORLD, dims);
  }
  if (strcmp(call, "graph") == 0) return make_graph();
  if (strcmp(call, "dist") == 0) return make_dist();
  if (strcmp(call, "adjacent") == 0) return make_adjacent(true, false);
  if (strcmp(call, "unweighted") == 0) return make_adjacent(false, false);
  if (strcmp(call, "uneven") == 0) return make_adjacent(true, true);
  MPI_Comm graph = make_graph();
  MPI_Comm grid = make_cart(graph, dims);
  MPI_Comm_free(&graph);
  return grid;
}

static bool is_rank(const char* variable) {
  const char* text = getenv(variable);
  return text != NULL && atoi(text) == rank;
}

// Until another rank has given up; mpirun's standard error is in the file err.
static void wait_for_refusal(void) {
  enum { TRIES = 600, PAUSE_US = 50000 };
  char line[1024];
  for (int i = 0; i < TRIES; ++i, usleep(PAUSE_US)) {
    FILE* file = fopen("err", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
      if (strstr(line, "ranks stay") != NULL) {
        fclose(file);
        return;
      }
    }
    if (file != NULL) fclose(file);
  }
  require(false, "what rank 0 has told");
}

// TOFA_TEST_LATE and TOFA_TEST_DIES are ranks, and TOFA_TEST_DIES_LATE, which dies after the call.
static void misbehave(void) {
  if (is_rank("TOFA_TEST_LATE")) wait_for_refusal();
  if (is_rank("TOFA_TEST_DIES")) raise(SIGKILL);
}

static bool is_wanted(const char* from) {
  if (from[0] == '+') return atoi(from + 1) == rank;
  if (from[0] == '-') return atoi(from + 1) != rank;
  return atoi(from) != 0;
}

static MPI_Comm make_all(const char* call, char* reorders, const char* dims) {
  MPI_Comm comm = MPI_COMM_NULL;
  char* rest = NULL;
  for (char* each = strtok_r(reorders, ",", &rest); each; each = strtok_r(NULL, ",", &rest)) {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    reorder = is_wanted(each);
    char* own_dims = dims != NULL ? strdup(dims) : NULL;
    comm = make(call, own_dims);
    free(own_dims);
  }
  return comm;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 3) return 2;
  // A message that is matched by anything must not be matched by what the call sends.
  int stray = 0;
  MPI_Request any;
  MPI_Irecv(&stray, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
  int next = (rank + 1) % size;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  misbehave();
  MPI_Comm comm = make_all(argv[1], argv[2], argc > 3 ? argv[3] : NULL);
  if (is_rank("TOFA_TEST_DIES_LATE")) {
    MPI_Barrier(MPI_COMM_WORLD);
    raise(SIGKILL);
  }
  if (getenv("TOFA_TEST_DIES_LATE") != NULL) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&next, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
  MPI_Status status;
  MPI_Wait(&any, &status);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  require(stray == rank && status.MPI_TAG == 7, "a message of the program");
  if (comm != MPI_COMM_NULL) {
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    require(handler == MPI_ERRORS_RETURN, "the error handler");
    print_host(comm);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
