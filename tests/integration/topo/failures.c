// SPDX-License-Identifier: BSD-3-Clause
// failures WHAT: what the component does where Open MPI fails, from within. WHAT is lists (messages
// of exchange.c cannot be sent), modules (topologies that cannot be made leave no memory behind),
// numbers (that calls have numbers, as topology_tags.h has it), tags (what is sent in a call does
// not reach others who wait for messages) or threads (two that make grids at once). Ends with 1
// when anything is not as it must be.
#include <ompi_config.h>

#include <malloc.h>
#include <mpi.h>
#include <ompi/communicator/communicator.h>
#include <ompi/constants.h>
#include <ompi/mca/coll/base/coll_base_util.h>
#include <ompi/mca/pml/pml.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../ompi-mca/topo/ompi41/topo_tofa.h"

static void require(bool good, const char* what) {
  if (good) return;
  fprintf(stderr, "%s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static mca_pml_base_module_send_fn_t send_really;
static int sends_left;

static int send_some(const void* buffer, size_t count, struct ompi_datatype_t* type, int to,
                     int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t* comm) {
  if (sends_left-- <= 0) return OMPI_ERR_OUT_OF_RESOURCE;
  return send_really(buffer, count, type, to, tag, mode, comm);
}

// After an error, no message may be received into lists that are gone: all arrive here.
static void fail_lists(void) {
  enum { MESSAGES = 5, TAG = 1, TRIES = 1000 };
  static const int ranks[] = {0}, list[] = {0}, weights[] = {1};
  const struct neighbour_lists own = {1, 1, list, list, weights, weights};
  send_really = mca_pml.pml_send;
  for (int sends = 0; sends < MESSAGES; ++sends) {
    MPI_Comm comm;
    struct neighbour_lists others;
    bool done;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    mca_pml.pml_send = send_some;
    sends_left = sends;
    int rc = exchange_lists(comm, ranks, 0, &own, &others, &done);
    mca_pml.pml_send = send_really;
    require(rc == OMPI_ERR_OUT_OF_RESOURCE, "the error is lost");
    release_lists(&others);
    int value = 0, arrived = 0;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, 0, TAG, comm, &request);
    for (int i = 0; i < TRIES && !arrived; ++i) {
      MPI_Iprobe(0, TAG, comm, &arrived, MPI_STATUS_IGNORE);
    }
    require(arrived, "a message was received into memory that had been freed");
    MPI_Recv(&value, 1, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
  }
}

// Grids and graphs that are larger than the communicator, which Open MPI finds late where it does
// not check parameters.
static void fail_creation(void) {
  enum { DIMS = 3, NODES = 64 };
  static const int extents[DIMS] = {NODES, NODES, NODES}, periods[DIMS];
  static const int index[NODES], edges[1];
  MPI_Comm made;
  require(MPI_Cart_create(MPI_COMM_WORLD, DIMS, extents, periods, 1, &made) != MPI_SUCCESS,
          "a grid that is too large was made");
  require(MPI_Graph_create(MPI_COMM_WORLD, NODES, index, edges, 0, &made) != MPI_SUCCESS,
          "a graph that is too large was made");
}

static void leave_nothing(void) {
  enum { FIRST = 100, MORE = 3000, BYTES_EACH = 8 };
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < FIRST; ++i) fail_creation();
  size_t before = mallinfo2().uordblks;
  for (int i = 0; i < MORE; ++i) fail_creation();
  size_t after = mallinfo2().uordblks;
  if (after > before + (size_t)MORE * BYTES_EACH)
    fprintf(stderr, "%zu, %zu bytes\n", before, after);
  require(after <= before + (size_t)MORE * BYTES_EACH, "memory is lost");
}

// The same on all processes, and not what it was before.
static int agreed_number(int before) {
  int number = ((const ompi_communicator_t*)MPI_COMM_WORLD)->c_nbc_tag, least, most;
  MPI_Allreduce(&number, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&number, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  require(least == most, "processes number a call differently");
  require(number != before, "two calls have the same number");
  return number;
}

static void number_calls(void) {
  enum { ROUNDS = 2, MOST = 64 };
  int rank, size, index[MOST], edges[MOST], one = 1, periodic = 1, number = 0;
  MPI_Comm made;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < size; ++i) index[i] = i + 1, edges[i] = (i + 1) % size;
  int before = (rank + size - 1) % size, after = (rank + 1) % size;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int extent = 1; extent <= size; extent += size - 1) {
      MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &periodic, round == 1, &made);
      number = agreed_number(number);
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, round == 1, &made);
    number = agreed_number(number);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &after, &one, MPI_INFO_NULL, round == 1,
                          &made);
    number = agreed_number(number);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &one, 1, &after, &one, MPI_INFO_NULL,
                                   round == 1, &made);
    number = agreed_number(number);
  }
}

// As nonblocking collectives that were begun before the call and go on after it.
static void keep_apart(void) {
  enum { TAGS = 64 };
  int rank, size, one = 1, received[TAGS], sent[TAGS];
  MPI_Request receives[TAGS], sends[TAGS];
  MPI_Comm made;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int before = (rank + size - 1) % size, after = (rank + 1) % size;
  int first = ompi_coll_base_nbc_reserve_tags(MPI_COMM_WORLD, TAGS);
  for (int i = 0; i < TAGS; ++i) {
    MCA_PML_CALL(irecv(&received[i], 1, MPI_INT, before, first - i, MPI_COMM_WORLD, &receives[i]));
  }
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &after, &one, MPI_INFO_NULL, 1, &made);
  for (int i = 0; i < TAGS; ++i) {
    sent[i] = rank + i;
    MCA_PML_CALL(isend(&sent[i], 1, MPI_INT, after, first - i, MCA_PML_BASE_SEND_STANDARD,
                       MPI_COMM_WORLD, &sends[i]));
  }
  MPI_Waitall(TAGS, sends, MPI_STATUSES_IGNORE);
  MPI_Waitall(TAGS, receives, MPI_STATUSES_IGNORE);
  for (int i = 0; i < TAGS; ++i)
    require(received[i] == before + i, "a message was taken for another");
}

// Grids of 3 columns, each rank of which knows its neighbour.
static void* make_grids(void* comm) {
  enum { ROUNDS = 4, COLUMNS = 3 };
  int size, rank, periods[2] = {0, 0}, found[2];
  MPI_Comm_size(*(MPI_Comm*)comm, &size);
  int dims[2] = {size / COLUMNS, COLUMNS};
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Comm grid;
    MPI_Cart_create(*(MPI_Comm*)comm, 2, dims, periods, round % 2, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, found);
    require(found[0] * COLUMNS + found[1] == rank, "a rank is elsewhere");
    int before, after, received = MPI_PROC_NULL;
    MPI_Cart_shift(grid, 0, 1, &before, &after);
    MPI_Sendrecv(&rank, 1, MPI_INT, after, 0, &received, 1, MPI_INT, before, 0, grid,
                 MPI_STATUS_IGNORE);
    require(received == before, "a neighbour is another");
    MPI_Comm_free(&grid);
  }
  return NULL;
}

static void make_in_threads(void) {
  enum { THREADS = 2 };
  pthread_t threads[THREADS];
  MPI_Comm comms[THREADS];
  for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, make_grids, &comms[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  bool threads = strcmp(what, "threads") == 0;
  int provided;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (threads) make_in_threads();
  if (strcmp(what, "lists") == 0) fail_lists();
  if (strcmp(what, "modules") == 0) leave_nothing();
  if (strcmp(what, "numbers") == 0) number_calls();
  if (strcmp(what, "tags") == 0) keep_apart();
  MPI_Finalize();
  return 0;
}
