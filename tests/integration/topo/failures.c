// SPDX-License-Identifier: BSD-3-Clause
// failures lists: what the component does where messages of exchange.c cannot be sent, from within.
// Ends with 1 when anything is not as it must be.
#include <ompi_config.h>

#include <mpi.h>
#include <ompi/constants.h>
#include <ompi/mca/pml/pml.h>
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
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    mca_pml.pml_send = send_some;
    sends_left = sends;
    int rc = exchange_lists(comm, ranks, 0, &own, &others);
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

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "lists") == 0) fail_lists();
  MPI_Finalize();
  return 0;
}
