// SPDX-License-Identifier: BSD-3-Clause
// Every collective call of MPI, blocking, nonblocking and on neighbours, each with a size of its
// own: on all ranks, and on a part of them in the other order.
#include <mpi.h>
#include <stdlib.h>

enum { RANKS = 16, MOST = 4096 };

static int sent[RANKS * MOST], received[RANKS * MOST];
static int counts[RANKS], offsets[RANKS], byte_offsets[RANKS];
static MPI_Datatype types[RANKS];
static int size, rank;

static void measure(MPI_Comm comm) {
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
}

// Blocks of 1, 2, 3, ... numbers, for all that take a count for each rank.
static void prepare(void) {
  for (int i = 0; i < RANKS; ++i) {
    counts[i] = i + 1;
    offsets[i] = i * MOST;
    byte_offsets[i] = offsets[i] * (int)sizeof(int);
    types[i] = MPI_INT;
  }
}

static void wait_for(MPI_Request* request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void rooted(MPI_Comm comm, int root) {
  MPI_Bcast(sent, 11, MPI_INT, root, comm);
  MPI_Gather(sent, 12, MPI_INT, received, 12, MPI_INT, root, comm);
  MPI_Scatter(sent, 13, MPI_INT, received, 13, MPI_INT, root, comm);
  MPI_Gatherv(sent, counts[rank], MPI_INT, received, counts, offsets, MPI_INT, root, comm);
  MPI_Scatterv(sent, counts, offsets, MPI_INT, received, counts[rank], MPI_INT, root, comm);
  MPI_Reduce(sent, received, 14, MPI_INT, MPI_SUM, root, comm);
}

static void of_all(MPI_Comm comm) {
  MPI_Barrier(comm);
  MPI_Allgather(sent, 21, MPI_INT, received, 21, MPI_INT, comm);
  MPI_Allgatherv(sent, counts[rank], MPI_INT, received, counts, offsets, MPI_INT, comm);
  MPI_Allreduce(sent, received, 23, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter(sent, received, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(sent, received, 24, MPI_INT, MPI_SUM, comm);
  MPI_Scan(sent, received, 25, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(sent, received, 26, MPI_INT, MPI_SUM, comm);
}

// Each rank gets as many numbers from all, and all get others.
static void to_each(MPI_Comm comm) {
  int same[RANKS], own[RANKS];
  for (int i = 0; i < RANKS; ++i) same[i] = 27;
  for (int i = 0; i < RANKS; ++i) own[i] = counts[rank];
  MPI_Alltoallv(sent, counts, offsets, MPI_INT, received, own, offsets, MPI_INT, comm);
  MPI_Alltoallw(sent, same, byte_offsets, types, received, same, byte_offsets, types, comm);
}

static void nonblocking(MPI_Comm comm, int root) {
  MPI_Request request;
  int same[RANKS];
  for (int i = 0; i < RANKS; ++i) same[i] = 39;
  MPI_Ibarrier(comm, &request), wait_for(&request);
  MPI_Ibcast(sent, 31, MPI_INT, root, comm, &request), wait_for(&request);
  MPI_Igather(sent, 32, MPI_INT, received, 32, MPI_INT, root, comm, &request), wait_for(&request);
  MPI_Iscatter(sent, 33, MPI_INT, received, 33, MPI_INT, root, comm, &request), wait_for(&request);
  MPI_Ireduce(sent, received, 34, MPI_INT, MPI_SUM, root, comm, &request), wait_for(&request);
  MPI_Iallgather(sent, 35, MPI_INT, received, 35, MPI_INT, comm, &request), wait_for(&request);
  MPI_Ialltoall(sent, 36, MPI_INT, received, 36, MPI_INT, comm, &request), wait_for(&request);
  MPI_Iallreduce(sent, received, 37, MPI_INT, MPI_SUM, comm, &request), wait_for(&request);
  MPI_Iscan(sent, received, 38, MPI_INT, MPI_SUM, comm, &request), wait_for(&request);
  MPI_Ialltoallv(sent, same, offsets, MPI_INT, received, same, offsets, MPI_INT, comm, &request);
  wait_for(&request);
  MPI_Ireduce_scatter_block(sent, received, 40, MPI_INT, MPI_SUM, comm, &request);
  wait_for(&request);
}

// Around a ring.
static void neighbours(MPI_Comm comm) {
  MPI_Comm ring;
  MPI_Request request;
  int around = 1, same[2] = {53, 53}, places[2] = {0, MOST};
  MPI_Cart_create(comm, 1, &size, &around, 0, &ring);
  MPI_Neighbor_allgather(sent, 51, MPI_INT, received, 51, MPI_INT, ring);
  MPI_Neighbor_alltoall(sent, 52, MPI_INT, received, 52, MPI_INT, ring);
  MPI_Neighbor_alltoallv(sent, same, places, MPI_INT, received, same, places, MPI_INT, ring);
  MPI_Ineighbor_alltoall(sent, 54, MPI_INT, received, 54, MPI_INT, ring, &request);
  wait_for(&request);
  MPI_Comm_free(&ring);
}

static void every_call(MPI_Comm comm) {
  measure(comm);
  for (int root = 0; root < size; ++root) rooted(comm, root);
  of_all(comm);
  to_each(comm);
  nonblocking(comm, size - 1);
  neighbours(comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  prepare();
  every_call(MPI_COMM_WORLD);
  int all = size, number = rank;
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, number == 1 ? MPI_UNDEFINED : 0, all - number, &some);
  if (some != MPI_COMM_NULL) {
    every_call(some);
    MPI_Comm_free(&some);
  }
  MPI_Finalize();
  return 0;
}
