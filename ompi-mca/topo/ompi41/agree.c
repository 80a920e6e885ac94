// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 of the communicator finds the order, all others wait for it in a broadcast. Each step
// begins only after all processes have said that they are ready for it, so that none waits for one
// that has given up. The communicator's own collectives carry it: the program is inside a
// collective call on the same communicator.
#define _GNU_SOURCE  // dladdr
#include <dlfcn.h>
#include <limits.h>
#include <ompi/constants.h>
#include <ompi/datatype/ompi_datatype.h>
#include <ompi/mca/coll/coll.h>
#include <ompi/op/op.h>
#include <opal/util/output.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"
#include "topo_tofa.h"

enum { INTS_PER_EDGE = sizeof(tofa_edge) / sizeof(int), TOLD_MOST = 1024 };

// What rank 0 has is on all processes then.
static int share(struct agreement* agreement, int* ints, int count) {
  ompi_communicator_t* comm = agreement->comm;
  return comm->c_coll->coll_bcast(ints, count, &ompi_mpi_int.dt, 0, comm,
                                  comm->c_coll->coll_bcast_module);
}

// What was said on all processes.
struct tally {
  int64_t edges;
  int64_t unable;  // processes that cannot go on
};

static int count_all(struct agreement* agreement, const struct tally* own, struct tally* all) {
  ompi_communicator_t* comm = agreement->comm;
  return comm->c_coll->coll_allreduce(own, all, sizeof *own / sizeof own->edges,
                                      &ompi_mpi_int64_t.dt, &ompi_mpi_op_sum.op, comm,
                                      comm->c_coll->coll_allreduce_module);
}

// Of rank 0, while edges come in.
struct gathered {
  int *counts, *offsets;  // of ints, by process
  tofa_edge* edges;
};

static bool make_room(struct gathered* room, int processes, int64_t edges) {
  room->counts = malloc((size_t)processes * sizeof *room->counts);
  room->offsets = malloc((size_t)processes * sizeof *room->offsets);
  room->edges = malloc((size_t)(edges + 1) * sizeof *room->edges);
  return room->counts != NULL && room->offsets != NULL && room->edges != NULL;
}

static int gather(struct agreement* agreement, struct gathered* room) {
  ompi_communicator_t* comm = agreement->comm;
  int own = (int)agreement->edge_count * INTS_PER_EDGE;
  int rc = comm->c_coll->coll_gather(&own, 1, &ompi_mpi_int.dt, room->counts, 1, &ompi_mpi_int.dt,
                                     0, comm, comm->c_coll->coll_gather_module);
  if (rc != OMPI_SUCCESS) return rc;
  if (ompi_comm_rank(comm) == 0) {
    int offset = 0;
    for (int i = 0; i < ompi_comm_size(comm); ++i) {
      room->offsets[i] = offset;
      offset += room->counts[i];
    }
  }
  return comm->c_coll->coll_gatherv(agreement->edges, own, &ompi_mpi_int.dt, room->edges,
                                    room->counts, room->offsets, &ompi_mpi_int.dt, 0, comm,
                                    comm->c_coll->coll_gatherv_module);
}

// As many as fit in the messages that bring them.
static int64_t most_edges(void) {
  int64_t most = INT_MAX / INTS_PER_EDGE;
  return topo_parameters.max_edges < most ? topo_parameters.max_edges : most;
}

// Brings the parts of a scattered graph to rank 0. *ready is 0 on all processes when that has no
// room for it.
static int collect(struct agreement* agreement, int64_t edges, int* ready) {
  struct gathered room = {0};
  bool root = ompi_comm_rank(agreement->comm) == 0;
  *ready =
      !root || (edges <= most_edges() && make_room(&room, ompi_comm_size(agreement->comm), edges));
  int rc = share(agreement, ready, 1);
  if (rc == OMPI_SUCCESS && *ready) rc = gather(agreement, &room);
  if (rc == OMPI_SUCCESS && *ready && root) {
    tofa_edge* part = agreement->edges;
    agreement->edges = room.edges;
    agreement->edge_count = (size_t)edges;
    room.edges = part;
  }
  free(room.counts);
  free(room.offsets);
  free(room.edges);
  return rc;
}

static const char* component_folder(char* path, size_t size) {
  Dl_info info;
  if (dladdr((const void*)&component_folder, &info) == 0 || info.dli_fname == NULL) return NULL;
  snprintf(path, size, "%s", info.dli_fname);
  char* slash = strrchr(path, '/');
  if (slash == NULL) return NULL;
  *slash = '\0';
  return path;
}

// What the launcher was told counts here, too.
static const char* topology_file(void) {
  const char* file = topo_parameters.topology;
  return file != NULL && *file != '\0' ? file : topo_parameters.launchers_topology;
}

static bool find_order(const struct agreement* agreement, int* new_ranks, char* told) {
  char folder[PATH_MAX];
  int processes = ompi_comm_size(agreement->comm);
  char** hosts = peers_hosts(agreement->comm);
  if (hosts == NULL) {
    snprintf(told, TOLD_MOST, "ranks stay: out of memory");
    return false;
  }
  tofa_reorder_task task = {.hosts = (const char* const*)hosts,
                            .processes = processes,
                            .nodes = agreement->nodes,
                            .edges = agreement->edges,
                            .edge_count = agreement->edge_count,
                            .topology = topology_file(),
                            .effort = topo_parameters.effort,
                            .time_limit = topo_parameters.time_limit,
                            .component_dir = component_folder(folder, sizeof folder)};
  // Libraries that search are not all made for several threads.
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_at_a_time);
  bool found = tofa_reorder(&task, new_ranks, told, TOLD_MOST);
  pthread_mutex_unlock(&one_at_a_time);
  peers_free_hosts(hosts, processes);
  return found;
}

static void tell(const struct agreement* agreement, const char* told) {
  if (!topo_parameters.verbose || ompi_comm_rank(agreement->comm) != 0) return;
  opal_output(0, "topo tofa: %s with %d processes: %s", agreement->call,
              ompi_comm_size(agreement->comm), told);
}

// On rank 0: whether `order` is to be used.
static bool decide(const struct agreement* agreement, int64_t edges, bool ready, int* order) {
  char told[TOLD_MOST] = "ranks stay: not enough memory for the declared graph";
  bool found = false;
  if (edges > most_edges()) {
    snprintf(told, sizeof told, "ranks stay: %lld edges are more than topo_tofa_max_edges = %lld",
             (long long)edges, (long long)most_edges());
  } else if (ready) {
    found = find_order(agreement, order, told);
  }
  tell(agreement, told);
  return found;
}

// `order` has an int for each process and one more, which says whether they count.
static int agree(struct agreement* agreement, int* order) {
  int processes = ompi_comm_size(agreement->comm);
  struct tally own = {.edges = (int64_t)agreement->edge_count,
                      .unable = order == NULL || !agreement->good};
  struct tally all = {0};
  int ready = 1;
  int rc = count_all(agreement, &own, &all);
  if (rc != OMPI_SUCCESS) return rc;
  if (all.unable > 0) {
    tell(agreement, "ranks stay: a process has no memory for more");
    if (order != NULL) order[processes] = false;
    return OMPI_SUCCESS;
  }
  if (agreement->scattered) rc = collect(agreement, all.edges, &ready);
  if (rc != OMPI_SUCCESS) return rc;
  if (ompi_comm_rank(agreement->comm) == 0) {
    order[processes] = decide(agreement, all.edges, ready, order);
  }
  return share(agreement, order, processes + 1);
}

int agree_on_ranks(struct agreement* agreement, int** new_ranks) {
  int processes = ompi_comm_size(agreement->comm);
  int* order = malloc(((size_t)processes + 1) * sizeof *order);
  int rc = agree(agreement, order);
  bool reordered = rc == OMPI_SUCCESS && order != NULL && order[processes];
  if (!reordered) {
    free(order);
    order = NULL;
  }
  free(agreement->edges);
  agreement->edges = NULL;
  *new_ranks = order;
  return rc;
}
