// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of a rank are known to the process that has declared them, which is of another
// rank now. On a communicator that nobody else has, so that any tag will do.
#include <ompi/constants.h>
#include <ompi/datatype/ompi_datatype.h>
#include <ompi/mca/coll/coll.h>
#include <ompi/mca/pml/pml.h>
#include <ompi/op/op.h>
#include <ompi/request/request.h>
#include <stdlib.h>

#include "topo_tofa.h"

struct route {
  ompi_communicator_t* comm;
  int to, from;
};

static int pass(const struct route* route, const int* sent, int sends, int* received,
                int receives) {
  enum { TAG = 1 };
  ompi_request_t* request = NULL;
  int rc = MCA_PML_CALL(
      irecv(received, (size_t)receives, &ompi_mpi_int.dt, route->from, TAG, route->comm, &request));
  if (rc != OMPI_SUCCESS) return rc;
  rc = MCA_PML_CALL(send((void*)sent, (size_t)sends, &ompi_mpi_int.dt, route->to, TAG,
                         MCA_PML_BASE_SEND_STANDARD, route->comm));
  // What is received into is the caller's to free.
  if (rc != OMPI_SUCCESS) (void)ompi_request_cancel(request);
  int received_rc = ompi_request_wait(&request, MPI_STATUS_IGNORE);
  return rc != OMPI_SUCCESS ? rc : received_rc;
}

// Room for the lists that the sizes announce, NULL where there is none. Whether there is memory.
static bool make_room(const int* sizes, const int*** lists, int count) {
  for (int i = 0; i < count; ++i) {
    if (sizes[i] < 0) continue;
    *lists[i] = malloc(((size_t)sizes[i] + 1) * sizeof **lists[i]);
    if (*lists[i] == NULL) return false;
  }
  return true;
}

// Whether all processes can go on: none waits for one that cannot.
static int agree_to_go_on(ompi_communicator_t* comm, bool able, bool* all) {
  int own = able, least = false;
  int rc = comm->c_coll->coll_allreduce(&own, &least, 1, &ompi_mpi_int.dt, &ompi_mpi_op_min.op,
                                        comm, comm->c_coll->coll_allreduce_module);
  *all = rc == OMPI_SUCCESS && least;
  return rc;
}

enum { ABSENT = -1 };

int exchange_lists(ompi_communicator_t* comm, const int* new_ranks, int old_rank,
                   const struct neighbour_lists* own, struct neighbour_lists* others, bool* done) {
  struct route route = {.comm = comm, .to = old_rank, .from = new_ranks[ompi_comm_rank(comm)]};
  enum { IN, OUT, IN_WEIGHTS, OUT_WEIGHTS, LISTS };
  const int* lists[LISTS] = {own->in, own->out, own->in_weights, own->out_weights};
  const int** received[LISTS] = {&others->in, &others->out, &others->in_weights,
                                 &others->out_weights};
  int sizes[LISTS] = {own->indegree, own->outdegree,
                      own->in_weights != NULL ? own->indegree : ABSENT,
                      own->out_weights != NULL ? own->outdegree : ABSENT};
  int expected[LISTS] = {0};
  *others = (struct neighbour_lists){0};
  *done = false;
  int rc = pass(&route, sizes, LISTS, expected, LISTS);
  if (rc == OMPI_SUCCESS) rc = agree_to_go_on(comm, make_room(expected, received, LISTS), done);
  for (int i = 0; i < LISTS && rc == OMPI_SUCCESS && *done; ++i) {
    rc = pass(&route, lists[i], sizes[i] > 0 ? sizes[i] : 0, (int*)*received[i],
              expected[i] > 0 ? expected[i] : 0);
  }
  others->indegree = expected[IN];
  others->outdegree = expected[OUT];
  return rc;
}

void release_lists(struct neighbour_lists* lists) {
  free((void*)lists->in);
  free((void*)lists->out);
  free((void*)lists->in_weights);
  free((void*)lists->out_weights);
}
