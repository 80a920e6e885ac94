// SPDX-License-Identifier: BSD-3-Clause
// Every way to send in MPI, persistent ones included, on the world, on reordered parts of it and on
// duplicates.
#include <string.h>

#include "expect.h"

static int rank, size;
static char buffer[1 << 20];
static char incoming[1 << 20];

static int next(int by) {
  return (rank + by) % size;
}
static int previous(int by) {
  return (rank + size - by) % size;
}

static void receive(int from, int tag) {
  MPI_Recv(incoming, sizeof incoming, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void blocking_modes(void) {
  MPI_Request request;
  MPI_Irecv(incoming, sizeof incoming, MPI_CHAR, previous(1), 1, MPI_COMM_WORLD, &request);
  MPI_Ssend(buffer, 11, MPI_CHAR, next(1), 1, MPI_COMM_WORLD);
  expect_send(next(1), 11);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Irecv(incoming, sizeof incoming, MPI_CHAR, previous(2), 2, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);  // a ready send needs its receive posted
  MPI_Rsend(buffer, 12, MPI_CHAR, next(2), 2, MPI_COMM_WORLD);
  expect_send(next(2), 12);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Bsend(buffer, 13, MPI_CHAR, next(1), 3, MPI_COMM_WORLD);
  expect_send(next(1), 13);
  receive(previous(1), 3);

  MPI_Sendrecv(buffer, 100000, MPI_CHAR, next(3), 4, incoming, sizeof incoming, MPI_CHAR,
               previous(3), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect_send(next(3), 100000);
  MPI_Sendrecv_replace(buffer, 14, MPI_CHAR, next(1), 5, previous(1), 5, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  expect_send(next(1), 14);
  MPI_Send(buffer, 1000, MPI_CHAR, MPI_PROC_NULL, 6, MPI_COMM_WORLD);
}

static void nonblocking_modes(void) {
  MPI_Request requests[8];
  for (int i = 0; i < 4; ++i) {
    MPI_Irecv(&incoming[100L * i], 100, MPI_CHAR, previous(1), 10 + i, MPI_COMM_WORLD,
              &requests[4 + i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(buffer, 21, MPI_CHAR, next(1), 10, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(buffer, 22, MPI_CHAR, next(1), 11, MPI_COMM_WORLD, &requests[1]);
  MPI_Ibsend(buffer, 23, MPI_CHAR, next(1), 12, MPI_COMM_WORLD, &requests[2]);
  MPI_Irsend(buffer, 24, MPI_CHAR, next(1), 13, MPI_COMM_WORLD, &requests[3]);
  for (int bytes = 21; bytes <= 24; ++bytes) expect_send(next(1), bytes);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static void sizes(void) {
  MPI_Datatype column;  // 5 doubles, far apart
  MPI_Type_vector(5, 1, 7, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(buffer, 2, column, next(2), 20, incoming, 2, column, previous(2), 20, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect_send(next(2), 80);
  MPI_Type_free(&column);

  MPI_Sendrecv(NULL, 0, MPI_INT, previous(1), 21, NULL, 0, MPI_INT, next(1), 21, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect_send(previous(1), 0);

  MPI_Sendrecv(buffer, 9, MPI_CHAR, rank, 22, incoming, 9, MPI_CHAR, rank, 22, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect_send(rank, 9);
  MPI_Sendrecv(buffer, 8, MPI_CHAR, 0, 23, incoming, 8, MPI_CHAR, 0, 23, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  expect_send(rank, 8);
}

static void start_one_by_one(void) {
  MPI_Request send;
  MPI_Send_init(buffer, 31, MPI_CHAR, next(1), 30, MPI_COMM_WORLD, &send);
  for (int i = 0; i < 5; ++i) {
    MPI_Start(&send);
    expect_send(next(1), 31);
    receive(previous(1), 30);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&send);

  MPI_Send_init(buffer, 9999, MPI_CHAR, next(1), 30, MPI_COMM_WORLD, &send);  // never started
  MPI_Request_free(&send);

  MPI_Request receive_again;  // a PML may use the same memory again
  MPI_Recv_init(incoming, 32, MPI_CHAR, previous(1), 31, MPI_COMM_WORLD, &receive_again);
  MPI_Start(&receive_again);
  MPI_Send(buffer, 32, MPI_CHAR, next(1), 31, MPI_COMM_WORLD);
  expect_send(next(1), 32);
  MPI_Wait(&receive_again, MPI_STATUS_IGNORE);
  MPI_Request_free(&receive_again);
}

static void start_all(void) {
  MPI_Request requests[7];
  MPI_Recv_init(incoming, 100, MPI_CHAR, previous(1), 40, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(incoming + 100, 100, MPI_CHAR, previous(2), 41, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(incoming + 200, 100, MPI_CHAR, previous(1), 42, MPI_COMM_WORLD, &requests[2]);
  MPI_Send_init(buffer, 41, MPI_CHAR, next(1), 40, MPI_COMM_WORLD, &requests[3]);
  MPI_Ssend_init(buffer, 42, MPI_CHAR, next(2), 41, MPI_COMM_WORLD, &requests[4]);
  MPI_Send_init(buffer, 43, MPI_CHAR, MPI_PROC_NULL, 43, MPI_COMM_WORLD, &requests[5]);
  MPI_Bsend_init(buffer, 44, MPI_CHAR, next(1), 42, MPI_COMM_WORLD, &requests[6]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(7, requests);
    expect_send(next(1), 41);
    expect_send(next(2), 42);
    expect_send(next(1), 44);
    MPI_Waitall(7, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 7; ++i) MPI_Request_free(&requests[i]);

  MPI_Request ready[2];
  MPI_Recv_init(incoming, 100, MPI_CHAR, previous(1), 45, MPI_COMM_WORLD, &ready[0]);
  MPI_Rsend_init(buffer, 45, MPI_CHAR, next(1), 45, MPI_COMM_WORLD, &ready[1]);
  MPI_Start(&ready[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Start(&ready[1]);
  expect_send(next(1), 45);
  MPI_Waitall(2, ready, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2; ++i) MPI_Request_free(&ready[i]);
}

// A buffered send is complete for MPI while its data still waits for the receiver: starting it
// again makes some PMLs replace the request behind the handle.
static void start_while_busy(void) {
  const int bytes = 200000, times = 3;
  MPI_Request send;
  MPI_Bsend_init(buffer, bytes, MPI_CHAR, next(1), 50, MPI_COMM_WORLD, &send);
  for (int i = 0; i < times; ++i) {
    MPI_Start(&send);
    expect_send(next(1), bytes);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < times; ++i) receive(previous(1), 50);
  MPI_Request_free(&send);
}

static void ring_in(MPI_Comm comm, int bytes) {
  int own, members;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &members);
  int to = (own + 1) % members, from = (own + members - 1) % members;
  MPI_Request persistent;
  MPI_Send_init(buffer, bytes, MPI_CHAR, to, 60, comm, &persistent);
  MPI_Start(&persistent);
  MPI_Recv(incoming, bytes, MPI_CHAR, from, 60, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  MPI_Request_free(&persistent);
  MPI_Sendrecv(buffer, bytes, MPI_CHAR, to, 61, incoming, bytes, MPI_CHAR, from, 61, comm,
               MPI_STATUS_IGNORE);
  expect_send(expect_world_rank(comm, to), bytes);
  expect_send(expect_world_rank(comm, to), bytes);
}

static void communicators(void) {
  MPI_Comm reversed, half, duplicate;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
  ring_in(reversed, 71);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  ring_in(half, 72);
  MPI_Comm_dup(half, &duplicate);
  ring_in(duplicate, 73);
  MPI_Alltoall(buffer, 16, MPI_CHAR, incoming, 16, MPI_CHAR, reversed);
  MPI_Comm_free(&duplicate);
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static char attached[4 << 20];
  MPI_Buffer_attach(attached, sizeof attached);
  blocking_modes();
  nonblocking_modes();
  sizes();
  start_one_by_one();
  start_all();
  start_while_busy();
  communicators();
  MPI_Alltoall(buffer, 64, MPI_CHAR, incoming, 64, MPI_CHAR, MPI_COMM_WORLD);
  expect_write();
  MPI_Finalize();
  return 0;
}
