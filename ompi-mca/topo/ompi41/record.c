// SPDX-License-Identifier: BSD-3-Clause
// What programs declare, for pml-monitor: edges between ranks of MPI_COMM_WORLD. Edges to processes
// of other jobs, and those of weight 0, are left out.
#include <ompi/group/group.h>
#include <ompi/proc/proc.h>
#include <stdlib.h>

#include "../../topo_component.h"
#include "topo_tofa.h"

// Open MPI's symbol for this component.
extern struct tofa_topo_component mca_topo_tofa_component;

void record_edges(const ompi_communicator_t* comm, int degree, const int* targets,
                  const int* weights) {
  opal_jobid_t job = ompi_proc_local()->super.proc_name.jobid;
  if (mca_topo_tofa_component.declared == NULL) return;
  for (int i = 0; i < degree; ++i) {
    int weight = weights != NULL ? weights[i] : 1;
    bool known = targets[i] >= 0 && targets[i] < comm->c_local_group->grp_proc_count;
    if (!known || weight <= 0) continue;
    opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, targets[i]);
    if (name.jobid == job) mca_topo_tofa_component.declared(name.vpid, (uint64_t)weight);
  }
}

void record_cart(const ompi_communicator_t* comm, const struct cart* cart) {
  int rank = ompi_comm_rank((ompi_communicator_t*)comm);
  if (mca_topo_tofa_component.declared == NULL || rank >= cart_size(cart)) return;
  int* neighbours = malloc((2 * (size_t)cart->dimensions + 1) * sizeof *neighbours);
  if (neighbours == NULL) return;
  record_edges(comm, cart_neighbours(cart, rank, neighbours), neighbours, NULL);
  free(neighbours);
}

void record_graph(const ompi_communicator_t* comm, int nodes, const int* index, const int* edges) {
  int rank = ompi_comm_rank((ompi_communicator_t*)comm);
  if (rank >= nodes) return;
  int first = rank > 0 ? index[rank - 1] : 0;
  record_edges(comm, index[rank] - first, edges + first, NULL);
}
